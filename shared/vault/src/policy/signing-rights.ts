/**
 * What signing policies tell a caller before the request is read. Most refusals are made here: reading a request costs
 * a thousand times as much.
 */
import {
  CONDITION_FORMS,
  FORMS,
  isNamed,
  wantedBy,
} from '@countersign/api/conditions/condition-forms.js';
import type { Initiators } from '@countersign/api/conditions/kept-conditions.js';
import type {
  AskedApprovals,
  PendingSigning,
  Rule,
  SigningPolicy,
  User,
  VaultState,
} from '../state/state.js';
import { groupIdsOf } from './group-membership.js';
import type { AskingRule, SigningStanding } from './policy-types.js';

export type { AskingRule, SigningStanding } from './policy-types.js';

/** The approvals that the rule asks for; undefined if it decides by itself. */
export function approvalsOf({ then }: Rule): AskedApprovals | undefined {
  return typeof then === 'string' ? undefined : then.requireApprovals;
}

/** The rules that could ask for approvals of a held request, whatever its content. */
export function askingRulesOf(
  state: VaultState,
  { operation, keyId, walletId }: Pick<PendingSigning, 'operation' | 'keyId' | 'walletId'>,
  initiator: User,
): AskingRule[] {
  const venueId = state.keys.rows.get(keyId)?.venueId ?? undefined;
  const policies = policiesOf(state, walletId ?? keyId).flat();
  return policies.flatMap((policy) =>
    policy.rules.flatMap((rule) => {
      const approvals = approvalsOf(rule);
      const couldAsk = rule.enabled && isForStanding(rule, { operation, initiator, venueId });
      return approvals !== undefined && couldAsk ? [{ policy, rule, approvals }] : [];
    }),
  );
}

/** A transaction's network is not among them: it is known only once the transaction is read. */
const STANDING = CONDITION_FORMS.filter(({ isOf }) => isOf !== undefined);

export function isForStanding(rule: Rule, request: SigningStanding): boolean {
  return STANDING.every((form) => {
    const wanted = wantedBy(rule, form);
    return wanted === undefined || form.isOf!(wanted, request);
  });
}

export function namesInitiator(rule: Rule, user: User): boolean {
  return isNamed(wantedBy(rule, FORMS.initiators) as Initiators, user);
}

export type Policies = readonly (readonly SigningPolicy[])[];

interface Found extends Pick<VaultState, 'signingPolicies' | 'keys' | 'wallets'> {
  readonly byMember: Map<string, Policies>;
}

/** What was looked up over these groups is dropped with them. */
const FOUND = new WeakMap<VaultState['securityGroups'], Found>();

/**
 * The policies of each security group that the wallet or key is in, in order. A request asks for them several times,
 * and a look-up in a large table costs as much as a rule. So each member's are looked up once as long as nothing
 * changes.
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
  const policies = found.byMember.get(memberId) ?? lookUp(state, memberId);
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
