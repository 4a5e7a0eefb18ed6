/** What is wrong with a rule whatever the vault holds: found at a gateway before it is appended, and in a page while it is written. */
import type { ConditionedRule } from '@countersign/api/conditions/condition.js';
import { statedBy } from '@countersign/api/conditions/stated-conditions.js';
import type { Rule } from '../state/state.js';
import { findDeadRule } from './dead-rules.js';
import { findBoundFault } from './unbounded-rules.js';

/** Why the rule could do nothing, or too much; undefined for neither. `earlier`: the rules before it. */
export function findOwnFault(rule: Rule, earlier: readonly Rule[]): string | undefined {
  return findBoundFault(rule) ?? findDeadRule(rule, earlier);
}

/** Why one of its conditions means nothing in this rule, by what today's release knows of it. */
export function findSlip(rule: Rule): string | undefined {
  const { when }: ConditionedRule = rule;
  for (const condition of statedBy(when)) {
    const slip = condition.findSlip?.(when[condition.field], rule);
    if (slip !== undefined) return `${condition.name}: ${slip}`;
  }
  return undefined;
}
