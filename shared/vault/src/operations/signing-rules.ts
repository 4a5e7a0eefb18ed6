/** Rules of a signing policy as a request states them: checked, and refused where they could never hold. */
import type { RuleBody } from '@countersign/api/policy-schema.js';
import { isRefusal, refuse, type Refusal } from '@countersign/core/errors.js';
import type { Rule, RuleConditions, SecurityGroup, VaultState } from '../state/state.js';
import { findNetwork, isTestnet } from '@countersign/chains/network-catalogue.js';
import { findDeadRule } from '../policy/signing-policy.js';
import { findUnbindableCondition } from '../policy/venue-conditions.js';
import { findVenue } from '@countersign/venues/venue-catalogue.js';
import { requireKnown } from './lookups.js';
import type { ApplyContext } from './ledger-operation.js';

/**
 * Rules as the state keeps them, in order. 422, naming the rule by its index, for one that names what is
 * not there, that can never match, or whose condition the signature of a venue in question does not bind.
 */
export function makeRules(
  state: VaultState,
  group: SecurityGroup,
  bodies: readonly RuleBody[],
  context: ApplyContext,
): Rule[] | Refusal {
  const rules: Rule[] = [];
  for (const [index, body] of bodies.entries()) {
    const rule = makeRule(state, group, body, context.newId(`rule ${index}`));
    if (isRefusal(rule)) return refuse(rule.refused, `rules.${index}: ${rule.message}`);
    const dead = findDeadRule(rule, rules);
    if (dead !== undefined) return refuse('invalid_inputs', `rules.${index}: ${dead}`);
    rules.push(rule);
  }
  return rules;
}

function makeRule(
  state: VaultState,
  group: SecurityGroup,
  body: RuleBody,
  id: string,
): Rule | Refusal {
  if (typeof body.then !== 'string') {
    return refuse('invalid_inputs', 'approvals are not available in this release');
  }
  const { initiators, networks, venue_ids: venueIds } = body.when;
  const fault =
    requireKnown(state.users, initiators?.user_ids ?? [], 'user') ??
    requireKnown(state.userGroups, initiators?.user_group_ids ?? [], 'user group') ??
    findNetworkFault(state, networks ?? []) ??
    findVenueFault(state, venueIds ?? []);
  if (fault !== undefined) return fault;
  const when = conditionsOf(body.when);
  const unbindable = findUnbindableCondition(when, when.venueIds ?? venuesOfGroup(state, group));
  if (unbindable !== undefined) return refuse('invalid_inputs', unbindable);
  const { display_name: displayName, enabled = true, then } = body;
  return { id, displayName, enabled, when, then };
}

function conditionsOf(when: RuleBody['when']): RuleConditions {
  const { initiators, amount } = when;
  return {
    ...listCondition('operations', when.operations),
    ...(initiators !== undefined && {
      initiators: {
        userIds: initiators.user_ids ?? [],
        userGroupIds: initiators.user_group_ids ?? [],
      },
    }),
    ...listCondition('networks', when.networks),
    ...listCondition('venueIds', when.venue_ids),
    ...listCondition('operationClasses', when.operation_classes),
    ...listCondition('endpoints', when.endpoints),
    ...listCondition('symbols', when.symbols),
    ...listCondition('sides', when.sides),
    ...(amount !== undefined && { amount }),
  };
}

function listCondition<Name extends string, Item>(
  name: Name,
  items: readonly Item[] | undefined,
): Partial<Record<Name, Item[]>> {
  return items === undefined ? {} : ({ [name]: [...new Set(items)] } as Record<Name, Item[]>);
}

function findNetworkFault(state: VaultState, networks: readonly string[]): Refusal | undefined {
  if (networks.some((id) => findNetwork(id) === undefined)) {
    return refuse('invalid_inputs', 'names an unknown network');
  }
  if (!state.settings.testnetsEnabled && networks.some(isTestnet)) {
    return refuse('invalid_inputs', 'names a testnet while testnets are disabled');
  }
  return undefined;
}

/** A venue that is neither in the catalogue nor any key's is a slip of the pen. */
function findVenueFault(state: VaultState, venueIds: readonly string[]): Refusal | undefined {
  const isKnown = (id: string) =>
    findVenue(id) !== undefined || state.keys.rows.some((key) => key.venueId === id);
  return venueIds.every(isKnown) ? undefined : refuse('invalid_inputs', 'names an unknown venue');
}

/** The venues that a rule without `venue_ids` speaks of: those of the group's keys. */
function venuesOfGroup(state: VaultState, group: SecurityGroup): string[] {
  const venueIds = group.members.flatMap(({ id }) => state.keys.rows.get(id)?.venueId ?? []);
  return [...new Set(venueIds)];
}

/** 422 when a rule of the group states a condition that cannot hold at the new member's venue. */
export function findUnbindableRule(
  state: VaultState,
  group: SecurityGroup,
  venueId: string | null,
): Refusal | undefined {
  if (venueId === null) return undefined;
  for (const policyId of group.signingPolicyIds) {
    for (const rule of state.signingPolicies.rows.get(policyId)?.rules ?? []) {
      const applies = rule.when.venueIds?.includes(venueId) ?? true;
      const reason = applies ? findUnbindableCondition(rule.when, [venueId]) : undefined;
      if (reason !== undefined) {
        return refuse('invalid_inputs', `members: the rule "${rule.displayName}": ${reason}`);
      }
    }
  }
  return undefined;
}
