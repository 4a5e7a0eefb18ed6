import { CANNOT_BE_JUDGED, refuseThrown } from './refuse-thrown.js';
import type { Rules } from './judging.js';

/** Wraps rules so that they throw for faults of this node alone. */
export function guardRules(rules: Rules): Rules {
  return {
    ...rules,
    judge: (state, entry, moment) =>
      refuseThrown(
        () => rules.judge(state, entry, moment),
        (fault) => ({ facts: { refusal: CANNOT_BE_JUDGED, fault } }),
      ),
    // each request that comes due is done by itself: see `carryOut`
    settleDue: (state, due) =>
      refuseThrown(
        () => rules.settleDue(state, due),
        (fault) => ({ state, decided: [], fault }),
      ),
  };
}
