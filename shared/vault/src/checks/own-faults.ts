/** What is wrong with a rule whatever the vault holds: found at a gateway before it is appended, and in a page while it is written. */
import type { Rule } from '../state/state.js';
import { findDeadRule } from './dead-rules.js';
import { findBoundFault } from './unbounded-rules.js';

/** Why the rule could do nothing, or too much; undefined for neither. `earlier`: the rules before it. */
export function findOwnFault(rule: Rule, earlier: readonly Rule[]): string | undefined {
  return findBoundFault(rule) ?? findDeadRule(rule, earlier);
}

/** A contract is 1 dollar in one market and a bitcoin in another. */
export function findContractsFault({ when: { contracts, symbols } }: Rule): string | undefined {
  return contracts !== undefined && symbols === undefined
    ? 'contracts: count something else in every market: state them beside symbols'
    : undefined;
}
