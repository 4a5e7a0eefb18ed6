/**
 * Signing policies: ordered rules that decide whether a key may sign. Pure; the gateway and both
 * parties run it, each over its own fold.
 *
 * Within a security group the first enabled rule whose every stated condition holds decides. A member
 * of several groups needs one that allows and none that denies. No rule, no signature.
 */
import type { RuleReference } from '../errors.js';
import type {
  Rule,
  SecurityGroup,
  SigningOperationName,
  SigningPolicy,
  Subjects,
  User,
  VaultState,
} from '../ledger/state.js';
import { isSubject } from './admin-policy.js';

export interface SigningFacts {
  readonly operation: SigningOperationName;
  readonly initiator: User;
  /** Absent for raw signing, which has no network. */
  readonly networkId?: string | undefined;
}

export interface RuleTrace {
  readonly policyId: string;
  readonly ruleId: string;
  readonly result: 'disabled' | 'matched' | 'not_matched';
  readonly failedCondition?: string | undefined;
}

export interface SigningDecision {
  readonly outcome: 'allow' | 'deny';
  /** Public text. */
  readonly reason: string;
  readonly policy?: RuleReference | undefined;
  readonly trace: readonly RuleTrace[];
}

/** `memberIds`: the wallet's or key's id as security groups name it. */
export function decideSigning(
  state: VaultState,
  memberId: string,
  facts: SigningFacts,
): SigningDecision {
  const groupIds = state.groupIdsByMember.get(memberId) ?? [];
  const trace: RuleTrace[] = [];
  const verdicts = groupIds.flatMap(
    (id) => decideInGroup(state, state.securityGroups.rows.get(id), facts, trace) ?? [],
  );
  const denial = verdicts.find((verdict) => verdict.rule.then === 'deny');
  const verdict = denial ?? verdicts[0];
  if (verdict === undefined) {
    return { outcome: 'deny', reason: 'no signing policy rule allows this request', trace };
  }
  const policy = {
    id: verdict.policy.id,
    version: verdict.policy.version,
    ruleId: verdict.rule.id,
  };
  return verdict.rule.then === 'allow'
    ? { outcome: 'allow', reason: `allowed by rule ${policy.ruleId}`, policy, trace }
    : { outcome: 'deny', reason: `denied by signing policy rule ${policy.ruleId}`, policy, trace };
}

interface Verdict {
  readonly policy: SigningPolicy;
  readonly rule: Rule;
}

function decideInGroup(
  state: VaultState,
  group: SecurityGroup | undefined,
  facts: SigningFacts,
  trace: RuleTrace[],
): Verdict | undefined {
  for (const policyId of group?.signingPolicyIds ?? []) {
    const policy = state.signingPolicies.rows.get(policyId);
    if (policy === undefined) throw new Error(`signing policy ${policyId} does not exist`);
    for (const rule of policy.rules) {
      const failedCondition = rule.enabled ? failingCondition(rule, facts) : undefined;
      const matched = rule.enabled && failedCondition === undefined;
      const result = !rule.enabled ? 'disabled' : matched ? 'matched' : 'not_matched';
      trace.push({ policyId, ruleId: rule.id, result, failedCondition });
      if (matched) return { policy, rule };
    }
  }
  return undefined;
}

function failingCondition(rule: Rule, facts: SigningFacts): string | undefined {
  const { operations, initiators, networks } = rule.when;
  // raw signing is a bypass of every content rule: a rule must name it, silence never covers it
  const covered = operations?.includes(facts.operation) ?? facts.operation !== 'raw_sign';
  if (!covered) return 'operations';
  if (initiators !== undefined && !isSubject(initiators, facts.initiator)) return 'initiators';
  if (networks !== undefined && !networks.includes(facts.networkId ?? '')) return 'networks';
  return undefined;
}

/** Why this rule can never decide anything, or undefined. `earlier` are the enabled rules before it. */
export function findDeadRule(rule: Rule, earlier: readonly Rule[]): string | undefined {
  const { operations, networks } = rule.when;
  if (networks !== undefined && operations?.every((name) => name === 'raw_sign') === true) {
    return 'can never match: raw_sign has no network';
  }
  if (!rule.enabled) return undefined;
  const shadow = earlier.find((other) => other.enabled && covers(other, rule));
  return shadow === undefined
    ? undefined
    : `can never match: the rule "${shadow.displayName}" before it decides every such request`;
}

/** Whether every request that `inner` matches is matched by `outer` too. */
function covers(outer: Rule, inner: Rule): boolean {
  return (
    isSubset(operationsOf(inner), operationsOf(outer)) &&
    subjectsCover(outer.when.initiators, inner.when.initiators) &&
    (outer.when.networks === undefined ||
      (inner.when.networks !== undefined && isSubset(inner.when.networks, outer.when.networks)))
  );
}

function operationsOf(rule: Rule): readonly string[] {
  return rule.when.operations ?? ['sign'];
}

function subjectsCover(outer: Subjects | undefined, inner: Subjects | undefined): boolean {
  if (outer === undefined) return true;
  return (
    inner !== undefined &&
    isSubset(inner.userIds, outer.userIds) &&
    isSubset(inner.userGroupIds, outer.userGroupIds)
  );
}

function isSubset(inner: readonly string[], outer: readonly string[]): boolean {
  return inner.every((item) => outer.includes(item));
}
