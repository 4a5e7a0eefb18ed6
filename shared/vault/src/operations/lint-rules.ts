/** Finds what a gateway would refuse in a draft, for its author, before anybody is asked. */
import type { RuleBody } from '@countersign/api/policy-requests.js';
import { findVenue } from '@countersign/venues/venue-catalogue.js';
import { findSlip, findOwnFault } from '../checks/own-faults.js';
import { findShadow } from '../checks/dead-rules.js';
import { findUnbindableCondition } from '../checks/unbindable-conditions.js';
import type { Rule } from '../state/state.js';
import { ruleOfBody } from './rule-of-body.js';

export interface RuleFault {
  /** The rule's, from 0. */
  readonly index: number;
  readonly text: string;
}

/** All ids of a kind that the vault has, or those of them that the draft names. Absent: that kind is not checked. */
export interface KnownIds {
  readonly users?: ReadonlySet<string>;
  readonly userGroups?: ReadonlySet<string>;
  /** Ids in the catalogue and of keys. */
  readonly venues?: ReadonlySet<string>;
  readonly networks?: ReadonlySet<string>;
  readonly addressLists?: ReadonlySet<string>;
}

/**
 * The first fault of each rule. Only a gateway finds venues of the group that no rule names, and markets without
 * prices.
 */
export function lintRules(bodies: readonly RuleBody[], known: KnownIds = {}): RuleFault[] {
  const rules = bodies.map((body, index) => ruleOfBody(body, String(index)));
  return rules.flatMap((rule, index) => {
    const text =
      findUnknownId(rule, known) ??
      findSlip(rule) ??
      findUnbindableCondition(rule.when, rule.when.venueIds ?? [], { findVenue }) ??
      findOwnFault(rule, rules.slice(0, index));
    return text === undefined ? [] : [{ index, text }];
  });
}

/** A rule of a policy that policies before it in the group leave nothing to decide; `by`: the place of the one that does. */
export interface Shadowed {
  readonly index: number;
  readonly by: number;
}

/** `earlier`: the rules of those policies, in order. A gateway takes such a policy, and it has no effect. */
export function findShadowed(
  bodies: readonly RuleBody[],
  earlier: readonly RuleBody[],
): readonly Shadowed[] {
  const before = earlier.map((body, index) => ruleOfBody(body, String(index)));
  return bodies.flatMap((body, index) => {
    const shadow = findShadow(ruleOfBody(body, String(index)), before);
    return shadow === undefined ? [] : [{ index, by: before.indexOf(shadow) }];
  });
}

function findUnknownId({ when, then }: Rule, known: KnownIds): string | undefined {
  const { initiators, venueIds = [], networks = [], destinationLists = [] } = when;
  const asking = typeof initiators === 'object' ? initiators : undefined;
  const approving = typeof then === 'object' ? then.requireApprovals.approvers : undefined;
  const subjects = [asking, approving].filter((one) => one !== undefined);
  const named: readonly [string, readonly string[], ReadonlySet<string> | undefined][] = [
    ['user', subjects.flatMap(({ userIds }) => userIds), known.users],
    ['user group', subjects.flatMap(({ userGroupIds }) => userGroupIds), known.userGroups],
    ['venue', venueIds, known.venues],
    ['network', networks, known.networks],
    ['address list', destinationLists, known.addressLists],
  ];
  for (const [kind, ids, all] of named) {
    const unknown = ids.find((id) => all?.has(id) === false);
    if (unknown !== undefined) return `names an unknown ${kind}: ${unknown}`;
  }
  return undefined;
}
