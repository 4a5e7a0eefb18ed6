/** Rules of a signing policy as a request states them, and as the state keeps them. */
import type { RuleBody } from '@countersign/api/policy-schema.js';
import { isRefusal, refuse, type Refusal } from '@countersign/core/errors.js';
import type {
  Initiators,
  Rule,
  RuleConditions,
  TimeWindow,
  VaultState,
  VelocityLimit,
} from '../state/state.js';
import { canBeApproved } from '../policy/admin-policy.js';
import { askedApprovals, subjectsOf } from './asked-approvals.js';
import { requireKnown } from './lookups.js';

/** Where the ids of rules come from. */
export interface RuleIds {
  /** Makes an id of a name that is unique within the request. */
  readonly newId: (name: string) => string;
  /** Ids that a rule may bring along: those of the policy that is updated. */
  readonly kept: readonly string[];
}

/**
 * Rules as the state keeps them, in order. 422, naming the rule by its index, for one that names an unknown
 * user or group, or brings an id that is not the policy's or another rule's.
 */
export function makeRules(
  state: VaultState,
  bodies: readonly RuleBody[],
  { newId, kept }: RuleIds,
): Rule[] | Refusal {
  const rules: Rule[] = [];
  const free = new Set(kept);
  for (const [index, body] of bodies.entries()) {
    if (body.id !== undefined && !free.delete(body.id)) {
      return refuse('invalid_inputs', `rules.${index}.id: the policy has no such rule to keep`);
    }
    const rule = makeRule(state, body, body.id ?? newId(`rule ${index}`));
    if (isRefusal(rule)) return { ...rule, message: `rules.${index}: ${rule.message}` };
    rules.push(rule);
  }
  return rules;
}

function makeRule(state: VaultState, body: RuleBody, id: string): Rule | Refusal {
  const { display_name: displayName, enabled = true, then } = body;
  const approvals = typeof then === 'string' ? undefined : then.require_approvals;
  const fault =
    findUnknownInitiator(state, body.when.initiators) ?? findUnknownInitiator(state, approvals);
  if (fault !== undefined) return fault;
  const rule = { id, displayName, enabled, when: conditionsOf(body.when) };
  if (typeof then === 'string') return { ...rule, then };
  const requireApprovals = askedApprovals(then.require_approvals);
  return canBeApproved(state, undefined, requireApprovals)
    ? { ...rule, then: { requireApprovals } }
    : refuse('invalid_inputs', 'then: there are not so many active users who could approve');
}

type InitiatorsBody = RuleBody['when']['initiators'];

function findUnknownInitiator(state: VaultState, initiators: InitiatorsBody): Refusal | undefined {
  if (initiators === undefined || initiators === 'anyone') return undefined;
  return (
    requireKnown(state.users, initiators.user_ids ?? [], 'user') ??
    requireKnown(state.userGroups, initiators.user_group_ids ?? [], 'user group')
  );
}

function conditionsOf(when: RuleBody['when']): RuleConditions {
  const { initiators, time, amount, quote_amount: quoteAmount, contracts, velocity } = when;
  const { usd_value: usdValue } = when;
  return {
    ...listCondition('operations', when.operations),
    ...(initiators !== undefined && { initiators: namedInitiators(initiators) }),
    ...listCondition('networks', when.networks),
    ...listCondition('assets', when.assets),
    ...listCondition('destinations', when.destinations),
    ...(time !== undefined && { time: timeWindow(time) }),
    ...listCondition('venueIds', when.venue_ids),
    ...listCondition('operationClasses', when.operation_classes),
    ...listCondition('endpoints', when.endpoints),
    ...listCondition('symbols', when.symbols),
    ...listCondition('sides', when.sides),
    ...(amount !== undefined && { amount }),
    ...(quoteAmount !== undefined && { quoteAmount }),
    ...(contracts !== undefined && { contracts }),
    ...(usdValue !== undefined && { usdValue }),
    ...(velocity !== undefined && { velocity: velocityOf(velocity) }),
  };
}

function namedInitiators(initiators: NonNullable<InitiatorsBody>): Initiators {
  if (initiators === 'anyone') return 'anyone';
  return subjectsOf(initiators);
}

function timeWindow({
  time_zone: timeZone,
  days,
  from,
  to,
}: NonNullable<RuleBody['when']['time']>): TimeWindow {
  return {
    ...listCondition('days', days),
    ...(from !== undefined && { from }),
    ...(to !== undefined && { to }),
    timeZone,
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
