import type * as s from '@countersign/core/shapes.js';
import type { LedgerOperation } from './operation-types.js';

export type * from './operation-types.js';

/** Keeps the types of the schemas together with the functions that use them. */
export function ledgerOperation<Query extends s.AnyShape, Body extends s.AnyShape>(
  definition: LedgerOperation<Query, Body>,
): LedgerOperation {
  return definition as unknown as LedgerOperation;
}
