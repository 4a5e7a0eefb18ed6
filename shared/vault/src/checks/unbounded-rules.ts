/**
 * Finds rules that let money leave without a limit, and limits that let nothing through. Both are mistakes, and are
 * refused before they are appended.
 */
import type { Condition, OutgoingClass } from '@countersign/api/conditions/condition.js';
import { CONDITIONS } from '@countersign/api/conditions/conditions.js';
import { compareDecimals } from '@countersign/core/decimal.js';
import { isTimeZone } from '../policy/local-time.js';
import type { Rule } from '../state/state.js';

/** A rule that allows one of these and bounds nothing would allow any sum to anybody. */
const OUTGOING: readonly OutgoingClass[] = ['withdraw', 'transfer'];

const CAPS = CONDITIONS.filter(({ cap }) => cap !== undefined);

/** Why the rule allows too much or nothing at all, or names an unknown time zone; undefined for neither. */
export function findBoundFault(rule: Rule): string | undefined {
  const { when, then } = rule;
  if (when.time !== undefined && !isTimeZone(when.time.timeZone)) {
    return 'time: names an unknown time zone';
  }
  if (then === 'deny') return undefined;
  const nothing = CAPS.find((condition) => {
    const cap = capIn(rule, condition);
    return cap !== undefined && compareDecimals(cap, '0') === 0;
  });
  if (nothing !== undefined)
    return `${nothing.name}: a cap of zero allows nothing; leave the rule out`;
  const unbounded = OUTGOING.find(
    (name) =>
      when.operationClasses?.includes(name) === true &&
      !boundsOf(name).some((condition) => isBounded(rule, condition)),
  );
  if (unbounded === undefined) return undefined;
  const wanted = boundsOf(unbounded).map(({ name, cap }) => (cap ? `${name}.max` : name));
  return `allows the class ${unbounded} without a bound: state ${wanted.join(' or ')}`;
}

function boundsOf(name: OutgoingClass): readonly Condition[] {
  return CONDITIONS.filter(({ bounds }) => bounds?.includes(name) === true);
}

function isBounded(rule: Rule, condition: Condition): boolean {
  return condition.cap === undefined
    ? keptIn(rule, condition) !== undefined
    : capIn(rule, condition) !== undefined;
}

function capIn(rule: Rule, condition: Condition): string | undefined {
  const kept = keptIn(rule, condition);
  return kept === undefined ? undefined : condition.cap?.(kept);
}

function keptIn({ when }: Rule, { field }: Condition): unknown {
  const kept: Readonly<Record<string, unknown>> = when;
  return kept[field];
}
