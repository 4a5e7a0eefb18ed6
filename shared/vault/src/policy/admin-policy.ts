/**
 * The administrative policy: who may administer what. Default deny; an explicit deny wins over every
 * allow, whatever their order.
 */
import { refuse, type PolicyReference, type Refusal } from '@countersign/core/errors.js';
import { ADMIN_POLICY_TYPES, VAULT_SCOPED_TYPES } from '@countersign/api/admin-policy-types.js';
import type { AdminPolicy, Subjects, User, VaultState } from '../state/state.js';
import type { AdminPolicyType } from '@countersign/api/admin-policy-types.js';

/** The policy that allowed it. */
export interface Permission {
  readonly policy: PolicyReference;
}

/**
 * Whether `user` may do `action`. `vaultIds` are the vaults that the act touches; an empty list means
 * an act that is not confined to vaults, which only an unscoped policy allows.
 */
export function authorizeAdmin(
  state: VaultState,
  user: User,
  action: AdminPolicyType,
  vaultIds: readonly string[] = [],
): Permission | Refusal {
  const policies = policiesFor(state, user, action);
  const denial = policies.find((policy) => policy.effect === 'deny' && touches(policy, vaultIds));
  if (denial !== undefined) {
    return refuse('forbidden', `denied by administrative policy for ${action}`, referTo(denial));
  }
  const allows = policies.filter((policy) => policy.effect === 'allow');
  const everywhere = allows.find((policy) => policy.scopeVaultIds === null);
  if (everywhere !== undefined) return { policy: referTo(everywhere) };
  const perVault = vaultIds.map((id) => allows.find((row) => row.scopeVaultIds?.includes(id)));
  const first = perVault[0];
  if (first === undefined || perVault.includes(undefined)) {
    return refuse('forbidden', `no administrative policy allows ${action}`);
  }
  return { policy: referTo(first) };
}

/** Whether `holder` may do everything that `user` may, in every vault that is or will be. */
export function holdsRightsOf(state: VaultState, holder: User, user: User): boolean {
  const may = (who: User, action: AdminPolicyType, vaultIds: readonly string[]) =>
    !('refused' in authorizeAdmin(state, who, action, vaultIds));
  return ADMIN_POLICY_TYPES.every((action) =>
    distinctScopes(state, action, [holder, user]).every(
      (vaultIds) => !may(user, action, vaultIds) || may(holder, action, vaultIds),
    ),
  );
}

/**
 * Whether somebody is left who can change the administrative policy for good: an active machine user
 * without an expiry. No change may take the last such user away.
 */
export function hasPolicyAdministrator(state: VaultState): boolean {
  return policyAdministratorCandidates(state).some(
    (user) =>
      user.type === 'machine' &&
      user.frozen === null &&
      user.expiresAt === null &&
      !('refused' in authorizeAdmin(state, user, 'manage_admin_policies')),
  );
}

function policyAdministratorCandidates(state: VaultState): User[] {
  const allows = allPolicies(state).filter(
    (policy) => policy.action === 'manage_admin_policies' && policy.effect === 'allow',
  );
  const named = allows.flatMap((policy) => policy.subjects.userIds);
  const groups = new Set(allows.flatMap((policy) => policy.subjects.userGroupIds));
  const users = named.flatMap((id) => state.users.rows.get(id) ?? []);
  if (groups.size === 0) return users;
  const members = [...state.users.rows.values()].filter((user) =>
    user.userGroupIds.some((id) => groups.has(id)),
  );
  return [...users, ...members];
}

/** Whether a policy that names these users and groups speaks of the user. */
export function isSubject(subjects: Subjects, user: User): boolean {
  return (
    subjects.userIds.includes(user.id) ||
    subjects.userGroupIds.some((id) => user.userGroupIds.includes(id))
  );
}

function policiesFor(state: VaultState, user: User, action: AdminPolicyType): AdminPolicy[] {
  return allPolicies(state).filter(
    (policy) => policy.action === action && isSubject(policy.subjects, user),
  );
}

function allPolicies(state: VaultState): AdminPolicy[] {
  return [...state.adminPolicies.rows.values()];
}

function touches(policy: AdminPolicy, vaultIds: readonly string[]): boolean {
  if (policy.scopeVaultIds === null || vaultIds.length === 0) return true;
  return vaultIds.some((id) => policy.scopeVaultIds?.includes(id));
}

const ANY_OTHER_VAULT = 'any other vault';

/** What the policies on `users` can tell apart: no vault, each vault that one of them names, the rest. */
function distinctScopes(
  state: VaultState,
  action: AdminPolicyType,
  users: readonly User[],
): string[][] {
  if (!VAULT_SCOPED_TYPES.has(action)) return [[]];
  const policies = users.flatMap((user) => policiesFor(state, user, action));
  const named = policies.flatMap((policy) => policy.scopeVaultIds ?? []);
  return [[], ...[...new Set([...named, ANY_OTHER_VAULT])].map((id) => [id])];
}

function referTo(policy: AdminPolicy): PolicyReference {
  return { id: policy.id, version: policy.version };
}
