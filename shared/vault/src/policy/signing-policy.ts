/**
 * Signing policies: ordered rules that decide whether a key may sign. Pure; the gateway and both parties run it, each
 * over its own fold.
 *
 * Within a security group, the first enabled rule whose stated conditions all hold decides. A member of several groups
 * needs one group that allows and none that denies. Without a rule there is no signature.
 */
import type { Asked } from '@countersign/api/conditions/condition.js';
import { pricedBy } from '@countersign/api/conditions/condition-forms.js';
import { statedBy } from '@countersign/api/conditions/compared-conditions.js';
import { deny, ruleName } from '@countersign/core/denials.js';
import type { RuleReference } from '@countersign/core/errors.js';
import { quoteName } from '@countersign/core/quote-name.js';
import type { Rule, SigningPolicy, VaultState } from '../state/state.js';
import type { TransactionFacts } from '@countersign/chains/solana-movements.js';
import type { VenueFacts } from '@countersign/venues/engine/venue-facts.js';
import { addressesIn } from './listed-addresses.js';
import { askedOf, testConditions, testWorth, type ConditionTest } from './asked-conditions.js';
import {
  approvalsOf,
  namesInitiator,
  policiesOf,
  type AskingRule,
  type SigningStanding,
} from './signing-rights.js';
import { usdValueOf, type Prices, type UsdValue } from './usd-value.js';
import {
  NO_LIMIT_REACHED,
  testVelocity,
  type LimitClaim,
  type ReachedLimits,
  type VelocityTest,
} from './velocity.js';

/** The answer wherever no rule allows, and to whoever may not learn more. */
export const NO_RULE = deny('signing_policies', 'no signing policy rule allows this request');

/** The facts of a signing request that rules look at. */
export interface SigningFacts extends SigningStanding {
  /** Absent for raw signing, which has no network. */
  readonly networkId?: string | undefined;
  /** Absent unless it is a venue request. */
  readonly venue?: VenueFacts | undefined;
  /** Absent unless it is a transaction. */
  readonly transaction?: TransactionFacts | undefined;
  /** When the gateway received the request, ms since the Unix epoch. */
  readonly receivedAt: number;
  /** Absent: no prices, so a rule that asks for a value in USD denies. */
  readonly prices?: Prices | undefined;
  /**
   * Whether it waited for approvals. Such a request does not use a limit within which it would have needed none: that
   * rule is passed over, and the next one decides. Absent: no.
   */
  readonly waited?: boolean | undefined;
}

/** The result of one rule. `error`: it could not be evaluated, which denies the request. */
export interface RuleTrace {
  readonly policyId: string;
  readonly version: number;
  readonly ruleId: string;
  readonly then: Rule['then'];
  readonly result: 'disabled' | 'matched' | 'not_matched' | 'error';
  readonly failedCondition?: string | undefined;
  /** How far the limit is used that has no room: public text, absent for every other condition. */
  readonly because?: string | undefined;
  /** The rule's name; present beside `because`. */
  readonly displayName?: string | undefined;
  /** Whether the rule is for another operation and also names other initiators. */
  readonly isForOthers?: boolean | undefined;
}

/**
 * The decision of the policies. `policy` is the rule that decided; if none did, it is absent, and the request is
 * denied.
 */
export interface SigningDecision {
  readonly outcome: 'allow' | 'deny' | 'require_approvals';
  /** Public text. */
  readonly reason: string;
  readonly policy?: RuleReference | undefined;
  readonly trace: readonly RuleTrace[];
  /** The deciding rules that ask for approvals, at most one of each security group; all of them must have theirs. */
  readonly asked: readonly AskingRule[];
  /** The claim on the limit of the rule that allows it; absent if that has none. */
  readonly claim?: LimitClaim | undefined;
  /** The request's worth, if a rule asked for it. */
  readonly valued?: UsdValue | undefined;
}

/**
 * `memberIds`: the wallet's or key's id as security groups name it. A limit that is not among those `reached` is
 * assumed to have room: only parties count.
 */
export function decideSigning(
  state: VaultState,
  memberId: string,
  facts: SigningFacts,
  reached: ReachedLimits = NO_LIMIT_REACHED,
): SigningDecision {
  const trace: RuleTrace[] = [];
  let valued: UsdValue | undefined;
  const worth = () => (valued ??= usdValueOf(facts));
  const asking = askedOf(facts, worth, (listId) => addressesIn(state, listId));
  const request = { facts, reached, asking };
  const test = (rule: Rule, groupId: string) => testRule(rule, groupId, request);
  const verdicts = policiesOf(state, memberId).flatMap(
    (policies) => decideInGroup(policies, test, trace) ?? [],
  );
  const denial = verdicts.find(({ rule, error }) => error !== undefined || rule.then === 'deny');
  if (denial !== undefined) return { ...denialBy(denial, facts), trace, asked: [], valued };
  const asked = verdicts.flatMap(askedBy);
  const verdict = verdicts.find((one) => askedBy(one).length > 0) ?? verdicts[0];
  if (verdict === undefined) {
    const reason = explained(reasonOfSilence(trace), facts);
    return { outcome: 'deny', reason, trace, asked, valued };
  }
  const policy = referenceTo(verdict);
  const decided = { policy, trace, asked, claim: verdict.claim, valued };
  return asked.length > 0
    ? { ...decided, outcome: 'require_approvals', reason: `${ruleName(policy)} asks for approvals` }
    : { ...decided, outcome: 'allow', reason: `allowed by ${ruleName(policy)}` };
}

function denialBy(
  verdict: Verdict,
  facts: SigningFacts,
): Pick<SigningDecision, 'policy' | 'reason'> & { readonly outcome: 'deny' } {
  const policy = referenceTo(verdict);
  const name = ruleName(policy);
  const { error, rule } = verdict;
  const names = statedBy(rule.when).map(({ name }) => name);
  const stated = names.join(', ') || 'it states no condition';
  const reason =
    error === undefined
      ? explained(`denied by ${name}: ${stated}`, facts)
      : `${name} cannot be evaluated: ${error.condition}: ${error.reason}`;
  return { outcome: 'deny', reason, policy };
}

function referenceTo({ policy: { id, version }, rule }: Verdict): RuleReference {
  return { id, version, ruleId: rule.id };
}

function askedBy({ policy, rule }: Verdict): AskingRule[] {
  const approvals = approvalsOf(rule);
  return approvals === undefined ? [] : [{ policy, rule, approvals }];
}

/** Adds the unknown part of a venue request: the caller can change that. */
function explained(reason: string, { venue }: SigningFacts): string {
  return venue?.unknownBecause === undefined ? reason : `${reason}: ${venue.unknownBecause}`;
}

const RULE_DENIALS = [
  /^denied by rule /,
  /^rule \S+ of signing policy \S+, version \d+ cannot be evaluated: /,
];

/** Whether signing policies denied a request for this reason; false for every other refusal, such as a freeze's. */
export function isReasonOfRules(reason: string): boolean {
  return reason.startsWith(NO_RULE.message) || RULE_DENIALS.some((pattern) => pattern.test(reason));
}

/** How many rules that came close a refusal names: `evaluate` tells the rest. */
const MAX_NAMED = 3;

/**
 * Why nothing was allowed: the failed condition of each rule that allows. Rules for another operation are named only
 * if there are none for this one. Rules for other users are not named, since the caller could not have met them.
 */
function reasonOfSilence(trace: readonly RuleTrace[]): string {
  const failed = trace.filter(
    ({ then, failedCondition }) => then !== 'deny' && failedCondition !== undefined,
  );
  const met = failed.filter(
    ({ failedCondition, isForOthers }) => failedCondition !== 'initiators' && isForOthers !== true,
  );
  const close = met.filter(({ failedCondition }) => failedCondition !== 'operations');
  const named = (close.length > 0 ? close : met).slice(0, MAX_NAMED).map(closeText);
  if (named.length === 0) named.push(failed.length > 0 ? ONLY_OTHERS : NOTHING_ALLOWS);
  return [NO_RULE.message, ...named].join('; ');
}

/** A limit without room is told with the rule's name, which people know: it will have room again. */
function closeText(step: RuleTrace): string {
  const { failedCondition, because, displayName = '' } = step;
  const rule = ruleName({ id: step.policyId, ...step });
  return because === undefined
    ? `${rule}: ${failedCondition}`
    : `${rule} (${quoteName(displayName)}): ${failedCondition}: ${because}`;
}

const ONLY_OTHERS = 'those that allow something name other initiators';
const NOTHING_ALLOWS = 'none that allows anything is in force here';

interface Verdict {
  readonly policy: SigningPolicy;
  readonly rule: Rule;
  /** Why the rule could not be evaluated, which denies the whole request. */
  readonly error?: UndecidedCondition | undefined;
  readonly claim?: LimitClaim | undefined;
}

interface UndecidedCondition {
  readonly condition: string;
  readonly reason: string;
}

function decideInGroup(
  policies: readonly SigningPolicy[],
  test: (rule: Rule, groupId: string) => RuleOutcome,
  trace: RuleTrace[],
): Verdict | undefined {
  for (const policy of policies) {
    for (const rule of policy.rules) {
      const outcome: RuleOutcome = rule.enabled
        ? test(rule, policy.securityGroupId)
        : { result: 'disabled' };
      const { result, failedCondition, because, isForOthers, error, claim } = outcome;
      const { id: policyId, version } = policy;
      const { id: ruleId, then } = rule;
      const limited = because === undefined ? {} : { because, displayName: rule.displayName };
      trace.push({
        ...{ policyId, version, ruleId, then, result, failedCondition, isForOthers },
        ...limited,
      });
      if (result === 'matched' || result === 'error') return { policy, rule, error, claim };
    }
  }
  return undefined;
}

interface RuleOutcome {
  readonly result: RuleTrace['result'];
  readonly failedCondition?: string | undefined;
  readonly because?: string | undefined;
  readonly isForOthers?: boolean | undefined;
  readonly error?: UndecidedCondition | undefined;
  readonly claim?: LimitClaim | undefined;
}

/** A request, with what is known beside it. */
interface AskedSigning {
  readonly facts: SigningFacts;
  readonly reached: ReachedLimits;
  /** Its worth is computed once, and only when a rule asks. */
  readonly asking: Asked;
}

function testRule(rule: Rule, groupId: string, asked: AskedSigning): RuleOutcome {
  const content = testConditions(rule, asked.asking);
  const tested = content.result === 'holds' ? testPriced(rule, asked) : content;
  switch (tested.result) {
    case 'left to the parties':
      return { result: rule.then === 'deny' ? 'not_matched' : 'matched' };
    case 'holds':
      return testLimit(rule, groupId, asked);
    case 'fails':
      return {
        result: 'not_matched',
        failedCondition: tested.condition,
        isForOthers:
          tested.condition === 'operations'
            ? !namesInitiator(rule, asked.facts.initiator)
            : undefined,
      };
    case 'error':
      return { result: 'error', failedCondition: tested.condition, error: tested };
  }
}

/** Tested last, as it takes prices. A node that has no prices and does not decide leaves it to the parties. */
function testPriced(
  rule: Rule,
  { facts, asking }: AskedSigning,
): ConditionTest | { readonly result: 'left to the parties' } {
  if (pricedBy(rule.when) === undefined) return { result: 'holds' };
  return asking.worth().result === 'unpriced' && facts.prices?.isLeftToParties === true
    ? { result: 'left to the parties' }
    : testWorth(rule, asking);
}

function testLimit(rule: Rule, groupId: string, { facts, reached }: AskedSigning): RuleOutcome {
  const outcome = outcomeOfVelocity(testVelocity(rule, groupId, facts, reached));
  const isPassedOver =
    facts.waited === true && rule.then === 'allow' && outcome.claim !== undefined;
  return isPassedOver ? { result: 'not_matched', failedCondition: 'velocity' } : outcome;
}

function outcomeOfVelocity(tested: VelocityTest): RuleOutcome {
  const failedCondition = 'velocity';
  switch (tested.result) {
    case 'holds':
      return { result: 'matched', claim: tested.claim };
    case 'fails':
      return { result: 'not_matched', failedCondition, because: tested.because };
    case 'error': {
      const error = { condition: failedCondition, reason: tested.reason };
      return { result: 'error', failedCondition, error };
    }
  }
}
