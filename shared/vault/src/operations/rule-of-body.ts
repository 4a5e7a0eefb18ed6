/** One rule as a request states it, and as the state keeps it. */
import type { RuleBody } from '@countersign/api/policy-schema.js';
import type {
  Initiators,
  Rule,
  RuleConditions,
  TimeWindow,
  VelocityLimit,
} from '../state/state.js';
import { askedApprovals, subjectsOf } from './asked-approvals.js';

/** Whatever the vault knows of whom and what it names. */
export function ruleOfBody(body: RuleBody, id: string): Rule {
  const { display_name: displayName, enabled = true, then } = body;
  const rule = { id, displayName, enabled, when: conditionsOf(body.when) };
  return typeof then === 'string'
    ? { ...rule, then }
    : { ...rule, then: { requireApprovals: askedApprovals(then.require_approvals) } };
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

function namedInitiators(initiators: NonNullable<RuleBody['when']['initiators']>): Initiators {
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
