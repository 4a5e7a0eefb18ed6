import type { LedgerOperation } from '../operations/ledger-operation.js';
import { settleDue } from './pending-requests.js';
import { judgeBy } from './judge-entry.js';
import type { Rules } from './judging.js';

/** A version of the rules that knows these operations. */
export function rulesOver(version: number, operations: readonly LedgerOperation[]): Rules {
  return {
    version,
    operations,
    judge: judgeBy(operations),
    settleDue: (state, due) => settleDue(state, { ...due, operations }),
  };
}
