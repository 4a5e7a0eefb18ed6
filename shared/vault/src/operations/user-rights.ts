/**
 * Limits that keep `manage_users` from being a way to more rights. A user's standing is what they may administer and
 * what they may sign. Whoever decides a user's groups needs `manage_user_groups` too. Managers cannot give somebody more
 * to administer than they have themselves, nor take it from somebody who has more. They cannot sign, through any user
 * whose credential they set, what they may not sign themselves.
 */
import type { updateUserRequest } from '@countersign/api/requests/users.js';
import type * as s from '@countersign/core/shapes.js';
import { deny } from '@countersign/core/fold-denials.js';
import { isRefusal, type Refusal } from '@countersign/core/errors.js';
import type { AdminPolicyType } from '@countersign/api/requests/admin-policy-types.js';
import type { AskedApprovals, Rule, SigningPolicy, User, VaultState } from '../state/state.js';
import { authorizeAdmin, holdsRightsOf, isSubject } from '../policy/admin-policy.js';
import { approvalsOf } from '../policy/signing-rights.js';
import { vaultsOfGroup } from './signing-policies.js';

/**
 * 403 when the user would hold a right that `actor` does not hold, or be in groups that `actor` may not change.
 * `before` is undefined for a user who is being created.
 */
export function refuseEscalation(
  state: VaultState,
  actor: User,
  before: User | undefined,
  after: User,
): Refusal | undefined {
  const groupsChange = !sameMembers(before?.userGroupIds ?? [], after.userGroupIds);
  if (groupsChange) {
    const permission = authorizeAdmin(state, actor, 'manage_user_groups');
    if (isRefusal(permission)) return permission;
  }
  if (!groupsChange && !hasNewCredential(before, after)) return undefined;
  return holdsRightsOf(state, actor, after) ? undefined : deny('rights_gained');
}

/**
 * What such a change of a user needs beside `manage_users`. Changing groups is a right of its own. Who decides who an
 * approver is could approve in their place, so they must be able to change the policies that ask for that approver.
 */
export function needsForUser(
  state: VaultState,
  before: User | undefined,
  body: UserChange,
): AdminPolicyType[] {
  const userGroupIds = body.user_group_ids ?? before?.userGroupIds ?? [];
  const regroups = !sameMembers(before?.userGroupIds ?? [], userGroupIds);
  const isOther =
    before === undefined ||
    regroups ||
    [
      ...[body.public_key, body.rotate_api_key, body.expires_at, body.reset_passkeys],
      body.allowed_addresses,
    ].some((value) => value !== undefined);
  return [
    ...(regroups ? (['manage_user_groups'] as const) : []),
    ...(isOther ? rightsOverApprover(state, { id: before?.id ?? '', userGroupIds }) : []),
  ];
}

type UserChange = Partial<s.OutputOf<typeof updateUserRequest.body>>;

function rightsOverApprover(
  { adminPolicies, signingPolicies }: VaultState,
  user: Pick<User, 'id' | 'userGroupIds'>,
): AdminPolicyType[] {
  const asks = (approvals: AskedApprovals | undefined) =>
    approvals !== undefined && isSubject(approvals.approvers, user);
  const isAskedOfChanges = [...adminPolicies.rows.values()].some(({ approvals }) =>
    asks(approvals),
  );
  // a rule that is switched off counts: whoever switches it on does not look at who its approvers are
  const isAskedOfSignatures = [...signingPolicies.rows.values()].some(({ rules }) =>
    rules.some((rule) => asks(approvalsOf(rule))),
  );
  return [
    ...(isAskedOfChanges ? (['manage_admin_policies'] as const) : []),
    ...(isAskedOfSignatures ? (['manage_signing_policies'] as const) : []),
  ];
}

/**
 * 403 when `actor` may not change or delete this user so. `before` is undefined for a user who is being created,
 * `after` for one who is deleted. Freezing changes no standing and is not refused: whoever may freeze can stop
 * everybody anyway, by a freeze of the system.
 */
export function refuseTakeover(
  state: VaultState,
  actor: User,
  before: User | undefined,
  after: User | undefined,
): Refusal | undefined {
  const isSet = after !== undefined && isNewlySet(before, after);
  const isTaken =
    before !== undefined && (after === undefined || isSet || isBounded(before, after));
  if (isTaken && !holdsRightsOf(state, actor, before)) {
    return deny('rights_held');
  }
  const above = isSet ? findPolicyAbove(state, actor, after) : undefined;
  return above === undefined ? undefined : deny('signing_gained', above.id);
}

/** Whether groups or credentials differ: who sets them decides who the user is. */
function isNewlySet(before: User | undefined, after: User): boolean {
  if (before === undefined) return true;
  if (!sameMembers(before.userGroupIds, after.userGroupIds)) return true;
  if (before.type === 'machine') return hasNewCredential(before, after);
  // a person who adds or removes a passkey stays the same; a reset hands them a new code
  return after.type === 'human' && before.enrollmentCodeSha256 !== after.enrollmentCodeSha256;
}

/** Whether time or place are bounded in another way: either can shut the user out. */
function isBounded(before: User, after: User): boolean {
  if (before.type !== 'machine' || after.type !== 'machine') return false;
  const { allowedAddresses: ranges = [] } = before;
  return before.expiresAt !== after.expiresAt || !sameMembers(ranges, after.allowedAddresses ?? []);
}

/**
 * The first policy that lets `user` sign more than `actor` and that `actor` may not change. Only the users that rules
 * name are compared. Whoever is allowed by fewer rules and denied by more can never sign what the other cannot, in any
 * order of rules.
 */
function findPolicyAbove(state: VaultState, actor: User, user: User): SigningPolicy | undefined {
  return [...state.signingPolicies.rows.values()].find(
    (policy) =>
      policy.rules.some((rule) => favours(rule, user, actor)) && !mayChange(state, actor, policy),
  );
}

/** A rule that is switched off counts: whoever switches it on does not look at who is in its groups. */
function favours(rule: Rule, user: User, actor: User): boolean {
  return rule.then === 'deny'
    ? names(rule, actor) && !names(rule, user)
    : names(rule, user) && !names(rule, actor);
}

function names({ when: { initiators } }: Rule, user: User): boolean {
  return initiators === undefined || initiators === 'anyone' || isSubject(initiators, user);
}

/**
 * Whoever may change the policy could name anybody in it. This does not hold for who needs approvals for it, or has to
 * wait.
 */
function mayChange(state: VaultState, actor: User, policy: SigningPolicy): boolean {
  const vaultIds = vaultsOfGroup(state, policy.securityGroupId);
  const permission = authorizeAdmin(state, actor, 'manage_signing_policies', vaultIds);
  return !isRefusal(permission) && permission.demands.length === 0;
}

/** Of people always, so that their rights are compared at every change. */
function hasNewCredential(before: User | undefined, after: User): boolean {
  if (before?.type !== 'machine' || after.type !== 'machine') return true;
  return before.publicKey !== after.publicKey || before.apiKeySha256 !== after.apiKeySha256;
}

function sameMembers(a: readonly string[], b: readonly string[]): boolean {
  return a.length === b.length && a.every((id) => b.includes(id));
}
