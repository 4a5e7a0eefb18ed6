/**
 * What signing policies say to a caller before a word of the request is read. Most of what is refused is refused
 * here: reading a request costs a thousand times as much.
 */
import { deny } from '@countersign/core/denials.js';
import type { SigningOperationName } from '@countersign/core/vocabulary.js';
import type { AskedApprovals, Rule, SigningPolicy, User, VaultState } from '../state/state.js';
import { isSubject } from './admin-policy.js';
import { groupIdsOf } from './group-membership.js';
import { initiatorsOf, operationsOf } from './rule-conditions.js';

/** Who asks for which kind of signature, at which venue. */
export interface SigningStanding {
  readonly operation: SigningOperationName;
  readonly initiator: User;
  /** The venue that the key is for. */
  readonly venueId?: string | undefined;
  /** What signs, and the wallet that it belongs to; limits count by them. */
  readonly keyId?: string | undefined;
  readonly walletId?: string | undefined;
}

/** The answer wherever no rule allows, and to whoever may not learn more. */
export const NO_RULE = deny('signing_policies', 'no signing policy rule allows this request');

/** Whether an enabled rule for this wallet or key allows the user anything at all, with approvals or without. */
export function isNamedByRule(state: VaultState, memberId: string, user: User): boolean {
  return someAllowing(state, memberId, (rule) => namesInitiator(rule, user));
}

/** Whether there is a request of this standing that the rules for this wallet or key allow, if it is approved. */
export function canBeAllowed(
  state: VaultState,
  memberId: string,
  { operation, initiator, venueId }: SigningStanding,
): boolean {
  return someAllowing(
    state,
    memberId,
    (rule) =>
      coversOperation(rule, operation) &&
      namesInitiator(rule, initiator) &&
      isForVenue(rule, venueId),
  );
}

/** A rule that asks for approvals, and of which policy it is. */
export interface AskingRule {
  readonly policy: SigningPolicy;
  readonly rule: Rule;
  readonly approvals: AskedApprovals;
}

/** What the rule asks for; undefined where it decides by itself. */
export function approvalsOf({ then }: Rule): AskedApprovals | undefined {
  return typeof then === 'string' ? undefined : then.requireApprovals;
}

const ASKING = new WeakMap<Policies, boolean>();

/** Whether a rule for this wallet or key asks anybody for approvals, of whatever and of whomever. */
export function asksForApprovals(state: VaultState, memberId: string): boolean {
  const policies = policiesOf(state, memberId);
  const known = ASKING.get(policies);
  if (known !== undefined) return known;
  const asks = policies.some((list) =>
    list.some(({ rules }) => rules.some((rule) => approvalsOf(rule) !== undefined)),
  );
  ASKING.set(policies, asks);
  return asks;
}

/** The rules that could ask for approvals of a request of this standing, whatever it holds. */
export function findAskingRules(
  state: VaultState,
  memberId: string,
  { operation, initiator, venueId }: SigningStanding,
): AskingRule[] {
  return policiesOf(state, memberId).flatMap((policies) =>
    policies.flatMap((policy) =>
      policy.rules.flatMap((rule) => {
        const approvals = approvalsOf(rule);
        const couldAsk =
          rule.enabled &&
          coversOperation(rule, operation) &&
          namesInitiator(rule, initiator) &&
          isForVenue(rule, venueId);
        return approvals !== undefined && couldAsk ? [{ policy, rule, approvals }] : [];
      }),
    ),
  );
}

export function coversOperation(rule: Rule, operation: SigningOperationName): boolean {
  return operationsOf(rule).includes(operation);
}

export function namesInitiator(rule: Rule, user: User): boolean {
  const initiators = initiatorsOf(rule);
  return initiators === 'anyone' || isSubject(initiators, user);
}

export function isForVenue({ when }: Rule, venueId: string | undefined): boolean {
  return when.venueIds?.includes(venueId ?? '') ?? true;
}

function someAllowing(state: VaultState, memberId: string, test: (rule: Rule) => boolean): boolean {
  return policiesOf(state, memberId).some((policies) =>
    policies.some(({ rules }) =>
      rules.some((rule) => rule.enabled && rule.then !== 'deny' && test(rule)),
    ),
  );
}

type Policies = readonly (readonly SigningPolicy[])[];

interface Found extends Pick<VaultState, 'signingPolicies' | 'keys' | 'wallets'> {
  readonly byMember: Map<string, Policies>;
}

/** What was looked up over these groups: it goes with them. */
const FOUND = new WeakMap<VaultState['securityGroups'], Found>();

/**
 * The policies of each security group that the wallet or key is in, in order. They are asked for several times a request,
 * and a look-up in a large table is as dear as a rule: each member's are looked up once as long as nothing changes.
 */
export function policiesOf(state: VaultState, memberId: string): Policies {
  const { securityGroups, signingPolicies, keys, wallets } = state;
  let found = FOUND.get(securityGroups);
  const isCurrent =
    found?.signingPolicies === signingPolicies && found.keys === keys && found.wallets === wallets;
  if (found === undefined || !isCurrent) {
    found = { signingPolicies, keys, wallets, byMember: new Map() };
    FOUND.set(securityGroups, found);
  }
  const known = found.byMember.get(memberId);
  if (known !== undefined) return known;
  const policies = lookUp(state, memberId);
  found.byMember.set(memberId, policies);
  return policies;
}

function lookUp(state: VaultState, memberId: string): Policies {
  const { securityGroups, signingPolicies } = state;
  return groupIdsOf(state, memberId).map((groupId) =>
    (securityGroups.rows.get(groupId)?.signingPolicyIds ?? []).map((id) => {
      const policy = signingPolicies.rows.get(id);
      if (policy === undefined) throw new Error(`signing policy ${id} does not exist`);
      return policy;
    }),
  );
}
