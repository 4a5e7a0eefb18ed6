/**
 * Finds rules that would let money leave without a limit, and limits that let nothing through: a slip of the pen in
 * either case, and refused before it is appended.
 */
import { compareDecimals } from '@countersign/core/decimal.js';
import type { Rule, RuleConditions } from '../state/state.js';
import { isTimeZone } from '../policy/time-window.js';

/** By class: what bounds such a request. A rule that states none of it would allow any sum to anybody. */
const BOUNDS: readonly (readonly [OutgoingClass, readonly Bound[]])[] = [
  ['withdraw', ['destinations', 'amount']],
  ['transfer', ['amount']],
];

type OutgoingClass = 'withdraw' | 'transfer';
type Bound = 'destinations' | 'amount';

/** Why the rule allows too much or nothing at all, or names a time that nobody knows; undefined for neither. */
export function findBoundFault({ when, then }: Rule): string | undefined {
  if (when.time !== undefined && !isTimeZone(when.time.timeZone)) {
    return 'time: names an unknown time zone';
  }
  if (then === 'deny') return undefined;
  if (when.amount?.max !== undefined && compareDecimals(when.amount.max, '0') === 0) {
    return 'amount: a cap of zero allows nothing; leave the rule out';
  }
  const unbounded = BOUNDS.find(
    ([name, bounds]) =>
      when.operationClasses?.includes(name) === true &&
      !bounds.some((bound) => isBounded(when, bound)),
  );
  return (
    unbounded &&
    `allows the class ${unbounded[0]} without a bound: state ${unbounded[1].map(textOf).join(' or ')}`
  );
}

function isBounded(when: RuleConditions, bound: Bound): boolean {
  return bound === 'amount' ? when.amount?.max !== undefined : when[bound] !== undefined;
}

function textOf(bound: Bound): string {
  return bound === 'amount' ? 'amount.max' : bound;
}
