/** What a gateway would refuse in a draft whatever its vault holds: for who writes one, before anybody is asked. */
import type { RuleBody } from '@countersign/api/policy-schema.js';
import { findVenue } from '@countersign/venues/venue-catalogue.js';
import { findContractsFault, findOwnFault } from '../checks/own-faults.js';
import { findUnbindableCondition } from '../checks/unbindable-conditions.js';
import { ruleOfBody } from './rule-of-body.js';

export interface RuleFault {
  /** Of the rule, from 0. */
  readonly index: number;
  readonly text: string;
}

/** The first fault of each rule. Unknown names, and venues of the group that no rule names, are found by a gateway alone. */
export function lintRules(bodies: readonly RuleBody[]): RuleFault[] {
  const rules = bodies.map((body, index) => ruleOfBody(body, String(index)));
  return rules.flatMap((rule, index) => {
    const text =
      findContractsFault(rule) ??
      findUnbindableCondition(rule.when, rule.when.venueIds ?? [], { findVenue }) ??
      findOwnFault(rule, rules.slice(0, index));
    return text === undefined ? [] : [{ index, text }];
  });
}
