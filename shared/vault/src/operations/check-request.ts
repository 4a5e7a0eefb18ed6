import { isRefusal, type Refusal } from '@countersign/core/errors.js';
import type { Evidence } from '@countersign/core/evidence.js';
import type { Catalogues } from '../catalogues/catalogues.js';
import type { VaultState } from '../state/state.js';
import { findLedgerOperation } from './ledger-operations.js';
import { parseInput } from './operation-input.js';

/**
 * What a release with these catalogues has against a change of governance that the fold would accept:
 * see `LedgerOperation.check`. Undefined when it has nothing, or the request is none.
 */
export function checkRequest(
  state: VaultState,
  { method, path, query, body }: Pick<Evidence, 'method' | 'path' | 'query' | 'body'>,
  catalogues: Catalogues,
): Refusal | undefined {
  const matched = findLedgerOperation(method, path);
  if (matched?.operation.check === undefined) return undefined;
  const { operation, params } = matched;
  const input = parseInput(operation, { params, query, body });
  return isRefusal(input) ? input : operation.check?.(state, input, catalogues);
}
