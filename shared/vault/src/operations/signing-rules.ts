/** Rules of a signing policy as a request states them, and as the state keeps them. */
import type { RuleBody } from '@countersign/api/policy-schema.js';
import { isRefusal, refuse, type Refusal } from '@countersign/core/errors.js';
import type { Rule, RuleConditions, VaultState, VelocityLimit } from '../state/state.js';
import { requireKnown } from './lookups.js';

/**
 * Rules as the state keeps them, in order. 422, naming the rule by its index, for one that names an unknown
 * user or group. `newId` makes an id of a name that is unique within the request.
 */
export function makeRules(
  state: VaultState,
  bodies: readonly RuleBody[],
  newId: (name: string) => string,
): Rule[] | Refusal {
  const rules: Rule[] = [];
  for (const [index, body] of bodies.entries()) {
    const rule = makeRule(state, body, newId(`rule ${index}`));
    if (isRefusal(rule)) return refuse(rule.refused, `rules.${index}: ${rule.message}`);
    rules.push(rule);
  }
  return rules;
}

function makeRule(state: VaultState, body: RuleBody, id: string): Rule | Refusal {
  if (typeof body.then !== 'string') {
    return refuse('invalid_inputs', 'approvals are not available in this release');
  }
  const { initiators } = body.when;
  const fault =
    requireKnown(state.users, initiators?.user_ids ?? [], 'user') ??
    requireKnown(state.userGroups, initiators?.user_group_ids ?? [], 'user group');
  if (fault !== undefined) return fault;
  const { display_name: displayName, enabled = true, then } = body;
  return { id, displayName, enabled, when: conditionsOf(body.when), then };
}

function conditionsOf(when: RuleBody['when']): RuleConditions {
  const { initiators, amount, quote_amount: quoteAmount, contracts, velocity } = when;
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
    ...(quoteAmount !== undefined && { quoteAmount }),
    ...(contracts !== undefined && { contracts }),
    ...(velocity !== undefined && { velocity: velocityOf(velocity) }),
  };
}

function velocityOf(stated: NonNullable<RuleBody['when']['velocity']>): VelocityLimit {
  const { limit, unit, window_s: windowS, per } = stated;
  return { limit, unit, windowS, per };
}

function listCondition<Name extends string, Item>(
  name: Name,
  items: readonly Item[] | undefined,
): Partial<Record<Name, Item[]>> {
  return items === undefined ? {} : ({ [name]: [...new Set(items)] } as Record<Name, Item[]>);
}
