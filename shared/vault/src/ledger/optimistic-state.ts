import type { VaultState } from '../state/state.js';
import type { LoggedEntry } from './entry-types.js';
import type { Rules } from './judging.js';

/**
 * The state in force if everything that waits is judged good. It may only deny, so dates do not matter in it. A
 * request counts whatever its age, and a freeze stays until two parties have countersigned its end. Otherwise an old
 * unfreezing, appended behind a freeze, would undo the freeze while both still wait.
 */
export function optimisticOf(
  state: VaultState,
  pending: readonly LoggedEntry[],
  rules: Pick<Rules, 'judge'>,
): VaultState {
  return pending.reduce((optimistic, entry) => {
    const at = entry.request?.signedAt ?? optimistic.time;
    const moment = { clock: undefined, at, place: entry.seq };
    const judgement = rules.judge(optimistic, entry, moment);
    const { operation, decided = [] } = judgement.facts;
    const done = [operation, ...decided.map((one) => one.operation)];
    const givesBack = done.some((one) => one?.action === 'unfreeze');
    return judgement.state === undefined || givesBack ? optimistic : judgement.state;
  }, state);
}
