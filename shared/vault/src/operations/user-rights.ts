/**
 * Two rules that keep `manage_users` from being a way to more rights. Whoever decides a user's groups needs
 * `manage_user_groups` too. Nobody may create, re-key or regroup a user who would then hold a right that they do not
 * hold themselves.
 */
import { deny } from '@countersign/core/denials.js';
import { isRefusal, type Refusal } from '@countersign/core/errors.js';
import type { AdminPolicyType } from '@countersign/api/requests/admin-policy-types.js';
import type { AskedApprovals, User, VaultState } from '../state/state.js';
import { authorizeAdmin, holdsRightsOf, isSubject } from '../policy/admin-policy.js';
import { approvalsOf } from '../policy/signing-rights.js';

/**
 * 403 when this change of a user breaks one of the two rules. `before` is undefined for a user who is
 * being created.
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
  if (!groupsChange && !credentialChanges(before, after)) return undefined;
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

interface UserChange {
  readonly user_group_ids?: readonly string[] | undefined;
  readonly public_key?: unknown;
  readonly rotate_api_key?: unknown;
  readonly expires_at?: unknown;
  readonly allowed_addresses?: unknown;
  readonly reset_passkeys?: unknown;
}

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

function credentialChanges(before: User | undefined, after: User): boolean {
  if (before?.type !== 'machine' || after.type !== 'machine') return true;
  return before.publicKey !== after.publicKey || before.apiKeySha256 !== after.apiKeySha256;
}

export function sameMembers(a: readonly string[], b: readonly string[]): boolean {
  return a.length === b.length && a.every((id) => b.includes(id));
}
