import { CANNOT_BE_JUDGED, refuseThrown } from './refuse-thrown.js';
import type { Rules } from './judging.js';

/** The same rules, by which nothing throws that is not a fault of this node. */
export function guardRules(rules: Rules): Rules {
  return {
    ...rules,
    judge: (state, entry, moment) =>
      refuseThrown(
        () => rules.judge(state, entry, moment),
        (fault) => ({ facts: { refusal: CANNOT_BE_JUDGED, fault } }),
      ),
    // each of those that come due is done by itself: see `carryOut`
    settleDue: (state, due) =>
      refuseThrown(
        () => rules.settleDue(state, due),
        (fault) => ({ state, decided: [], fault }),
      ),
  };
}
