/**
 * Nothing that an entry says may end a node. If some entry met a fault in the code that judges, every node would stop
 * at it, at every start. So an entry that throws is refused, with the state unchanged. Every node does the same, since
 * the code is deterministic. The outcome names the fault, and it raises an alarm.
 */
import { refuse } from '@countersign/core/errors.js';
import { UnknownEvidenceKeyError } from '@countersign/core/evidence-seal.js';
import { BrokenChainError, UnknownRulesError } from './ledger-errors.js';

/** The refusal of an entry that cannot be judged. */
export const CANNOT_BE_JUDGED = refuse('invalid_inputs', 'the entry cannot be judged');

/** V8's messages for lack of memory: other nodes need not run out of it, so this node may not go on. */
const OUT_OF_MEMORY = ['Maximum call stack size exceeded', 'Array buffer allocation failed'];

/** Whether the error says something about this node, and not about the entry. */
export function endsNode(error: unknown): boolean {
  return (
    error instanceof BrokenChainError ||
    error instanceof UnknownRulesError ||
    error instanceof UnknownEvidenceKeyError ||
    (error instanceof RangeError && OUT_OF_MEMORY.includes(error.message))
  );
}

/** Returns what `decide` does or, if it throws, `orElse` of the error's kind: the error's text may hold an entry. */
export function refuseThrown<Result>(
  decide: () => Result,
  orElse: (fault: string) => Result,
): Result {
  try {
    return decide();
  } catch (error) {
    if (endsNode(error)) throw error;
    return orElse(error instanceof Error ? error.name : 'no error');
  }
}
