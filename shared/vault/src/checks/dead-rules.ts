/** Finds rules that can never decide anything. They are mistakes, and are refused before they are appended. */
import type { KeptConditions } from '@countersign/api/conditions/condition.js';
import { pricedBy, wantedBy } from '@countersign/api/conditions/condition-forms.js';
import {
  canHoldOf,
  comparedBy,
  statedBy,
} from '@countersign/api/conditions/compared-conditions.js';
import type { Condition, ConditionedRule } from '@countersign/api/conditions/condition.js';
import { CONDITIONS } from '@countersign/api/conditions/conditions.js';
import type { Rule } from '../state/state.js';

/** Why this rule can never decide anything, or undefined. `earlier` are the enabled rules before it. */
export function findDeadRule(rule: Rule, earlier: readonly Rule[]): string | undefined {
  const impossible = findImpossibleCondition(rule);
  if (impossible !== undefined) return impossible;
  const shadow = findShadow(rule, earlier);
  return shadow === undefined
    ? undefined
    : `can never match: the rule "${shadow.displayName}" before it decides every such request`;
}

/** The first of `earlier` that decides whatever this rule could decide; undefined for none, and for a rule that is off. */
export function findShadow(rule: Rule, earlier: readonly Rule[]): Rule | undefined {
  if (!rule.enabled) return undefined;
  return earlier.find((other) => other.enabled && covers(other, rule));
}

/** Whether every request that `inner` matches is matched by `outer` too. */
function covers(outer: Rule, inner: Rule): boolean {
  const readAlike = (outer.then === 'deny') === (inner.then === 'deny');
  const rules = { outer, inner, readAlike, innerReads: speaksOfContent(inner.when) };
  return (
    readInOneOrder(outer, inner) &&
    CONDITIONS.every((condition) => {
      const wide = wantedBy(outer, condition);
      return wide === undefined || condition.covers(wide, wantedBy(inner, condition), rules);
    })
  );
}

/** A condition that cannot be evaluated decides by itself: both must meet the same ones in the same order. */
function readInOneOrder(outer: Rule, inner: Rule): boolean {
  const later = comparedBy(inner.when);
  return comparedBy(outer.when).every((condition, index) => condition === later[index]);
}

/** Why no request can ever match, or undefined. */
export function findImpossibleCondition(rule: Rule): string | undefined {
  const { when } = rule;
  const stated = statedBy(when);
  const deadEnd = stated.map((one) => deadEndOf(rule, one)).find((text) => text !== undefined);
  if (deadEnd !== undefined) return `can never match: ${deadEnd}`;
  if (speaksOfContent(when) && when.operations?.includes('sign') === false) {
    return 'can never match: nothing is known of what raw_sign signs';
  }
  const isForVenues = stated.some((one) => !canHoldOf(one, 'transaction'));
  if (!isForVenues) return undefined;
  const strange = stated.find((one) => !canHoldOf(one, 'venue_request'));
  if (strange !== undefined) return `can never match: ${strange.strange}`;
  const unsaid = comparedBy(when).find(({ isOfSessions }) => isOfSessions !== true);
  return unsaid !== undefined && when.operationClasses?.every((name) => name === 'session') === true
    ? `can never match: a session carries no ${unsaid.name}, and binds nothing that follows it`
    : undefined;
}

function deadEndOf(rule: ConditionedRule, condition: Condition): string | undefined {
  return condition.findDeadEnd?.(rule.when[condition.field], rule);
}

/** Whether a rule with these conditions looks at the content of a request. Nothing is known of raw bytes. */
function speaksOfContent(when: KeptConditions): boolean {
  return pricedBy(when) !== undefined || statedBy(when).some(({ reads }) => reads !== undefined);
}
