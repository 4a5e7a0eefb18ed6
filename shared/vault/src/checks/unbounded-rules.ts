/**
 * Finds rules that would let money leave without a limit, and limits that let nothing through: a slip of the pen in
 * either case, and refused before it is appended.
 */
import { compareDecimals } from '@countersign/core/decimal.js';
import type { Rule, RuleConditions } from '../state/state.js';
import { isTimeZone } from '../policy/time-window.js';

/** By class: what bounds such a request. A rule that states none of it would allow any sum to anybody. */
const BOUNDS: readonly (readonly [OutgoingClass, readonly Bound[]])[] = [
  ['withdraw', ['destinations', 'amount', 'usdValue']],
  ['transfer', ['amount', 'usdValue']],
];

type OutgoingClass = 'withdraw' | 'transfer';
type Bound = 'destinations' | 'amount' | 'usdValue';

/** Why the rule allows too much or nothing at all, or names a time that nobody knows; undefined for neither. */
export function findBoundFault({ when, then }: Rule): string | undefined {
  if (when.time !== undefined && !isTimeZone(when.time.timeZone)) {
    return 'time: names an unknown time zone';
  }
  if (then === 'deny') return undefined;
  for (const [name, bounds] of [
    ['amount', when.amount],
    ['usd_value', when.usdValue],
  ] as const) {
    if (bounds?.max !== undefined && compareDecimals(bounds.max, '0') === 0) {
      return `${name}: a cap of zero allows nothing; leave the rule out`;
    }
  }
  const unbounded = BOUNDS.find(
    ([name, bounds]) =>
      when.operationClasses?.includes(name) === true &&
      !bounds.some((bound) => isBounded(when, bound)),
  );
  return (
    unbounded &&
    `allows the class ${unbounded[0]} without a bound: state ${unbounded[1].map((bound) => BOUND_TEXTS[bound]).join(' or ')}`
  );
}

function isBounded(when: RuleConditions, bound: Bound): boolean {
  return bound === 'destinations' ? when[bound] !== undefined : when[bound]?.max !== undefined;
}

const BOUND_TEXTS: Readonly<Record<Bound, string>> = {
  destinations: 'destinations',
  amount: 'amount.max',
  usdValue: 'usd_value.max',
};
