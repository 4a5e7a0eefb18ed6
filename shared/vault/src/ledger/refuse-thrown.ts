/**
 * Nothing that an entry says ends a node. Code that judges may have a fault that some entry finds; the entry, which
 * every node has, would then stop all of them, at every start. So what throws is refused, with the state as it was: on
 * every node alike, since the code that judges is deterministic. It is told with the entry, and raises an alarm.
 */
import { refuse } from '@countersign/core/errors.js';
import { UnknownEvidenceKeyError } from '@countersign/core/evidence-seal.js';
import { BrokenChainError, UnknownRulesError } from './ledger-errors.js';

/** What becomes of an entry that cannot be judged. */
export const CANNOT_BE_JUDGED = refuse('invalid_inputs', 'the entry cannot be judged');

/** What V8 says where memory is short: no other node need come to the same, so no node may go on from it. */
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

/** What `decide` comes to; where it throws, `orElse`, which is told the kind of error. An entry may be in its text. */
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
