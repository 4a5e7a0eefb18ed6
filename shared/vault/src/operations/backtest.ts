/**
 * What a draft of signing policies would have decided about requests that are on record. Users, keys, groups and other
 * groups' policies are as they are now; a request keeps its own time and content.
 */
import { isRefusal, type Refusal, type RuleReference } from '@countersign/core/errors.js';
import type { Evidence } from '@countersign/core/evidence.js';
import type { SigningOperationName } from '@countersign/core/vocabulary.js';
import type { BacktestChange } from '@countersign/api/backtest-schema.js';
import type { Catalogues } from '../catalogues/catalogues.js';
import { isInGroup } from '../policy/group-filter.js';
import { isReasonOfRules, type SigningDecision } from '../policy/signing-policy.js';
import { approvalsOf } from '../policy/signing-rights.js';
import type { AskedApprovals, SecurityGroup, User, VaultState } from '../state/state.js';
import { versionKey } from '../state/table-indexes.js';
import { askedSigning } from './asked-signing.js';
import { withDraft, type Draft } from './draft-policies.js';
import { parseInput } from './operation-input.js';
import { judgeByPolicies, memberIdOf, type MatchedSigning } from './signing-operation.js';
import type { SigningTarget } from './signing-targets.js';
import { SIGNING_OPERATIONS } from './signing-operations.js';

/** A draft that replaces the policies of a group. */
export interface Backtest {
  readonly state: VaultState;
  readonly group: SecurityGroup;
  /** The place in the draft of each of its rules, by the rule's id: `policies.0.rules.2`. */
  readonly places: ReadonlyMap<string, string>;
}

/** A request from the record. */
export interface RecordedRequest {
  readonly requestId: string;
  /** Id of the operation. */
  readonly action: string;
  readonly userId: string;
  /** Null where the record names none. */
  readonly keyId: string | null;
  /** ms */
  readonly receivedAt: number;
  readonly isAllowed: boolean;
  /** Why it was denied; null where it was not. */
  readonly reason: string | null;
  readonly policy: RuleReference | undefined;
  /** Which item of a batch it is; undefined for a request of a single signature. */
  readonly index?: number | undefined;
  /** The request, or why it cannot be read. */
  readonly evidence: Evidence | string;
}

/** The draft's decision about one request. */
export interface Replayed {
  readonly operation: SigningOperationName;
  readonly target: Partial<SigningTarget>;
  readonly change: BacktestChange;
  /** Why nobody can tell; absent if the draft decides. */
  readonly because?: string | undefined;
  /** Absent if nobody can tell. */
  readonly decision?: SigningDecision | undefined;
}

/** 422 for a draft that could not be written as policies. */
export function openBacktest(
  state: VaultState,
  group: SecurityGroup,
  draft: Draft,
  catalogues: Catalogues,
): Backtest | Refusal {
  const drafted = withDraft(state, group, draft, catalogues);
  if (isRefusal(drafted)) return drafted;
  const places = new Map<string, string>();
  const { signingPolicyIds } = drafted.securityGroups.rows.get(group.id)!;
  for (const [policy, id] of signingPolicyIds.entries()) {
    const { rules } = drafted.signingPolicies.rows.get(id)!;
    for (const [rule, { id: ruleId }] of rules.entries()) {
      places.set(ruleId, `policies.${policy}.rules.${rule}`);
    }
  }
  return { state: drafted, group, places };
}

/** Undefined for a request about no member of the group. */
export function replayRequest(backtest: Backtest, recorded: RecordedRequest): Replayed | undefined {
  const { evidence, index } = recorded;
  if (typeof evidence === 'string') return unreadable(backtest, recorded, evidence);
  const { matched } = askedSigning(evidence, index);
  if (matched === undefined) return unreadable(backtest, recorded, 'it asked for no signature');
  const target = matched.operation.findTarget(backtest.state, matched.params);
  if (isRefusal(target)) return replayRemoved(backtest, matched);
  if (!isInGroup(backtest.state, memberIdOf(target), backtest.group.id)) return undefined;
  const judged = judge(backtest.state, recorded, evidence, matched, target);
  const common = { operation: matched.operation.name, target };
  return typeof judged === 'string'
    ? { ...common, change: 'cannot_say', because: judged }
    : { ...common, change: changeOf(backtest.state, recorded, judged), decision: judged };
}

/** Returns the draft's decision, or why nobody can tell it. */
function judge(
  state: VaultState,
  { userId, receivedAt, isAllowed, reason }: RecordedRequest,
  evidence: Evidence,
  { operation, params, input: known }: MatchedSigning,
  target: SigningTarget,
): SigningDecision | string {
  if (!isAllowed && !isReasonOfRules(reason ?? '')) {
    return `it was refused by something else than a rule: ${reason ?? 'the record does not say'}`;
  }
  const initiator: User | undefined = state.users.rows.get(userId);
  if (initiator === undefined) return 'the user who asked was deleted';
  const { query, body } = evidence;
  const input = known ?? parseInput(operation, { params, query, body });
  if (isRefusal(input)) return `it would be refused now: ${input.message}`;
  const asking = { initiator, receivedAt };
  const decision = judgeByPolicies(state, operation, target, input, asking);
  if (isRefusal(decision)) return `it would be refused now: ${decision.message}`;
  // a rule asked, and nobody keeps the prices of the past
  return decision.valued?.result === 'unpriced'
    ? 'what it was worth in US dollars at that time is not known'
    : decision;
}

function changeOf(
  state: VaultState,
  recorded: RecordedRequest,
  decision: SigningDecision,
): BacktestChange {
  const { isAllowed } = recorded;
  if (decision.outcome === 'require_approvals') {
    return isAllowed && hadThoseApprovals(state, recorded, decision) ? 'same' : 'needs_approvals';
  }
  const isStopped = decision.outcome === 'deny';
  if (isAllowed !== isStopped) return 'same';
  return isAllowed ? 'newly_denied' : 'newly_allowed';
}

/** Whether it was approved under the very rule that asks in the draft, when that rule asked for the same approvals. */
function hadThoseApprovals(
  { signingPolicies }: VaultState,
  { policy }: RecordedRequest,
  { asked }: SigningDecision,
): boolean {
  if (policy === undefined) return false;
  const then = signingPolicies.indexes.byVersion.get(versionKey(policy.id, policy.version));
  const was = then?.rules.find(({ id }) => id === policy.ruleId);
  const approvals = was && approvalsOf(was);
  return (
    approvals !== undefined &&
    asked.every((one) => one.rule.id === policy.ruleId && isSameDemand(one.approvals, approvals))
  );
}

/** The same number of the same people, in whatever order they were written. How long one waits is another matter. */
function isSameDemand(one: AskedApprovals, other: AskedApprovals): boolean {
  const textOf = ({ quorum, approvers: { userIds, userGroupIds } }: AskedApprovals) =>
    JSON.stringify([quorum, userIds.toSorted(), userGroupIds.toSorted()]);
  return textOf(one) === textOf(other);
}

/** The request's own record tells its target, if it names a key. */
function unreadable(
  { state, group }: Backtest,
  { keyId, action }: RecordedRequest,
  because: string,
): Replayed | undefined {
  const key = state.keys.rows.get(keyId ?? '');
  const operation = SIGNING_OPERATIONS.find(({ id }) => id === action);
  if (key === undefined || operation === undefined) return undefined;
  const wallet = state.wallets.rows.get(key.walletId ?? '');
  const target = { key, wallet };
  if (!isInGroup(state, memberIdOf(target), group.id)) return undefined;
  return { operation: operation.name, target, change: 'cannot_say', because };
}

/** Nobody knows the groups of a removed wallet, but a group that is limited to other vaults did not have it. */
function replayRemoved(
  { group: { vaultIds } }: Backtest,
  { operation, params }: MatchedSigning,
): Replayed | undefined {
  const vaultId = params['vault_id'];
  if (vaultId === undefined || vaultIds?.includes(vaultId) === false) return undefined;
  const because = 'the wallet was removed: nobody knows which groups it was in';
  return { operation: operation.name, target: {}, change: 'cannot_say', because };
}
