/**
 * Finds faults of a rule that do not depend on the vault. A gateway looks before it appends, a page while one writes.
 */
import type { ConditionedRule } from '@countersign/api/conditions/condition.js';
import { statedBy } from '@countersign/api/conditions/compared-conditions.js';
import type { Rule } from '../state/state.js';
import { findDeadRule } from './dead-rules.js';
import { findBoundFault } from './unbounded-rules.js';

/** Why the rule does nothing, or allows too much; undefined for neither. `earlier`: the rules before it. */
export function findOwnFault(rule: Rule, earlier: readonly Rule[]): string | undefined {
  return findBoundFault(rule) ?? findDeadRule(rule, earlier);
}

/** Why one of its conditions means nothing in this rule, as far as this release knows. */
export function findSlip(rule: Rule): string | undefined {
  const { when }: ConditionedRule = rule;
  for (const condition of statedBy(when)) {
    const slip = condition.findSlip?.(when[condition.field], rule);
    if (slip !== undefined) return `${condition.name}: ${slip}`;
  }
  return undefined;
}
