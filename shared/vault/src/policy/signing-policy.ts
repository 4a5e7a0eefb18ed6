/**
 * Signing policies: ordered rules that decide whether a key may sign. Pure; the gateway and both
 * parties run it, each over its own fold.
 *
 * Within a security group the first enabled rule whose every stated condition holds decides. A member
 * of several groups needs one that allows and none that denies. No rule, no signature.
 */
import type { RuleReference } from '@countersign/core/errors.js';
import type { Rule, SecurityGroup, SigningPolicy, VaultState } from '../state/state.js';
import type { VenueFacts } from '@countersign/venues/engine/venue.js';
import {
  coversOperation,
  isForVenue,
  namesInitiator,
  NO_RULE,
  type SigningStanding,
} from './signing-rights.js';
import {
  NO_LIMIT_REACHED,
  testVelocity,
  type LimitClaim,
  type ReachedLimits,
  type VelocityTest,
} from './velocity.js';
import { testVenueConditions } from './venue-conditions.js';

/** What a signing request comes to, as far as rules look at it. */
export interface SigningFacts extends SigningStanding {
  /** Absent for raw signing, which has no network. */
  readonly networkId?: string | undefined;
  /** What a venue request comes to; absent for everything else. */
  readonly venue?: VenueFacts | undefined;
}

/** What became of one rule. `error`: it could not be evaluated, which denies the request. */
export interface RuleTrace {
  readonly policyId: string;
  readonly ruleId: string;
  readonly result: 'disabled' | 'matched' | 'not_matched' | 'error';
  readonly failedCondition?: string | undefined;
}

/** What the policies say. `policy` is the rule that decided; absent when none did, which is a denial. */
export interface SigningDecision {
  readonly outcome: 'allow' | 'deny';
  /** Public text. */
  readonly reason: string;
  readonly policy?: RuleReference | undefined;
  readonly trace: readonly RuleTrace[];
  /** What the request takes of the limit of the rule that allows it; absent when that has none. */
  readonly claim?: LimitClaim | undefined;
}

/**
 * `memberIds`: the wallet's or key's id as security groups name it. A limit that is not among those `reached` is taken
 * to have room: only parties count.
 */
export function decideSigning(
  state: VaultState,
  memberId: string,
  facts: SigningFacts,
  reached: ReachedLimits = NO_LIMIT_REACHED,
): SigningDecision {
  const groupIds = state.securityGroups.indexes.byMember.get(memberId) ?? [];
  const trace: RuleTrace[] = [];
  const verdicts = groupIds.flatMap((id) => {
    const test = (rule: Rule) => testRule(rule, facts, id, reached);
    return decideInGroup(state, state.securityGroups.rows.get(id), test, trace) ?? [];
  });
  const denial = verdicts.find(({ rule, error }) => error !== undefined || rule.then === 'deny');
  const verdict = denial ?? verdicts[0];
  if (verdict === undefined) {
    return { outcome: 'deny', reason: explained(reasonOfNone(trace), facts), trace };
  }
  const policy = {
    id: verdict.policy.id,
    version: verdict.policy.version,
    ruleId: verdict.rule.id,
  };
  if (verdict.error !== undefined) {
    const reason = `rule ${policy.ruleId} cannot be evaluated: ${verdict.error}`;
    return { outcome: 'deny', reason, policy, trace };
  }
  return verdict.rule.then === 'allow'
    ? {
        outcome: 'allow',
        reason: `allowed by rule ${policy.ruleId}`,
        policy,
        trace,
        claim: verdict.claim,
      }
    : {
        outcome: 'deny',
        reason: explained(`denied by signing policy rule ${policy.ruleId}`, facts),
        policy,
        trace,
      };
}

/** With the part of a venue request that nobody knows: it is what the caller can change. */
function explained(reason: string, { venue }: SigningFacts): string {
  return venue?.unknownBecause === undefined ? reason : `${reason}: ${venue.unknownBecause}`;
}

/** A limit that is reached is named: the same request may be allowed later. */
function reasonOfNone(trace: readonly RuleTrace[]): string {
  const reached = trace.find(({ failedCondition }) => failedCondition === 'velocity');
  return reached === undefined
    ? NO_RULE.message
    : `${NO_RULE.message}: the velocity limit of rule ${reached.ruleId} is reached`;
}

interface Verdict {
  readonly policy: SigningPolicy;
  readonly rule: Rule;
  /** Why the rule could not be evaluated: then the whole request is denied. */
  readonly error?: string | undefined;
  readonly claim?: LimitClaim | undefined;
}

function decideInGroup(
  state: VaultState,
  group: SecurityGroup | undefined,
  test: (rule: Rule) => RuleOutcome,
  trace: RuleTrace[],
): Verdict | undefined {
  for (const policyId of group?.signingPolicyIds ?? []) {
    const policy = state.signingPolicies.rows.get(policyId);
    if (policy === undefined) throw new Error(`signing policy ${policyId} does not exist`);
    for (const rule of policy.rules) {
      const outcome: RuleOutcome = rule.enabled ? test(rule) : { result: 'disabled' };
      const { result, failedCondition, error, claim } = outcome;
      trace.push({ policyId, ruleId: rule.id, result, failedCondition });
      if (result === 'matched' || result === 'error') return { policy, rule, error, claim };
    }
  }
  return undefined;
}

interface RuleOutcome {
  readonly result: RuleTrace['result'];
  readonly failedCondition?: string | undefined;
  readonly error?: string | undefined;
  readonly claim?: LimitClaim | undefined;
}

function testRule(
  rule: Rule,
  facts: SigningFacts,
  groupId: string,
  reached: ReachedLimits,
): RuleOutcome {
  const failedCondition = failingCondition(rule, facts);
  if (failedCondition !== undefined) return { result: 'not_matched', failedCondition };
  const tested = testVenueConditions(rule, facts.venue);
  switch (tested.result) {
    case 'holds':
      return outcomeOfVelocity(testVelocity(rule, groupId, facts, reached));
    case 'fails':
      return { result: 'not_matched', failedCondition: tested.condition };
    case 'error':
      return { result: 'error', failedCondition: tested.condition, error: tested.reason };
  }
}

function outcomeOfVelocity(tested: VelocityTest): RuleOutcome {
  const failedCondition = 'velocity';
  switch (tested.result) {
    case 'holds':
      return { result: 'matched', claim: tested.claim };
    case 'fails':
      return { result: 'not_matched', failedCondition };
    case 'error':
      return { result: 'error', failedCondition, error: tested.reason };
  }
}

function failingCondition(rule: Rule, facts: SigningFacts): string | undefined {
  const { networks } = rule.when;
  if (!coversOperation(rule, facts.operation)) return 'operations';
  if (!namesInitiator(rule, facts.initiator)) return 'initiators';
  if (networks !== undefined && !networks.includes(facts.networkId ?? '')) return 'networks';
  return isForVenue(rule, facts.venueId) ? undefined : 'venue_ids';
}
