/**
 * Two rules that keep `manage_users` from being a way to more rights than its holder has:
 * whoever decides a user's groups needs `manage_user_groups` too, and nobody may create, re-key or
 * regroup a user who would then hold a right that they do not hold themselves.
 */
import { isRefusal, refuse, type Refusal } from '@countersign/core/errors.js';
import type { User, VaultState } from '../state/state.js';
import { authorizeAdmin, holdsRightsOf } from '../policy/admin-policy.js';

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
  return holdsRightsOf(state, actor, after)
    ? undefined
    : refuse('forbidden', 'the user would hold administrative rights that you do not hold');
}

function credentialChanges(before: User | undefined, after: User): boolean {
  if (before?.type !== 'machine' || after.type !== 'machine') return true;
  return before.publicKey !== after.publicKey || before.apiKeySha256 !== after.apiKeySha256;
}

export function sameMembers(a: readonly string[], b: readonly string[]): boolean {
  return a.length === b.length && a.every((id) => b.includes(id));
}
