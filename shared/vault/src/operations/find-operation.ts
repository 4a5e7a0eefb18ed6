import type { LedgerOperation } from './ledger-operation.js';
import { matchPath } from './operation-input.js';

/** An operation, with the values that the path gives for its parameters. */
export interface MatchedOperation {
  readonly operation: LedgerOperation;
  readonly params: Readonly<Record<string, string>>;
}

/** The operation with this method whose template fits the path; undefined for none. */
export function findOperation(
  operations: readonly LedgerOperation[],
  method: string,
  path: string,
): MatchedOperation | undefined {
  for (const operation of operations) {
    if (operation.method !== method) continue;
    const params = matchPath(operation.path, path);
    if (params !== undefined) return { operation, params };
  }
  return undefined;
}
