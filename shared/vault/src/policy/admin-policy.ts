/**
 * The administrative policy: who may administer what. Default deny; an explicit deny wins over every
 * allow, whatever their order.
 */
import { deny } from '@countersign/core/fold-denials.js';
import { isRefusal, type PolicyReference, type Refusal } from '@countersign/core/errors.js';
import {
  ADMIN_POLICY_TYPES,
  VAULT_SCOPED_TYPES,
  type AdminPolicyType,
} from '@countersign/api/requests/admin-policy-types.js';
import type { AdminPolicy, AskedApprovals, Subjects, User, VaultState } from '../state/state.js';
import { isEnrolled } from '../state/passkey-owner.js';
import type { Demand, Permission } from './policy-types.js';

export type * from './policy-types.js';

/**
 * Whether `user` may do `action`. `vaultIds` are the vaults that the act touches. An empty list means an act that is
 * not confined to vaults, which only an unscoped policy allows. If several policies allow the act, the demands of all
 * of them hold: one without demands does not cancel another's.
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
    return { ...deny('admin_policy', action), policy: referTo(denial) };
  }
  const allows = policies.filter((policy) => policy.effect === 'allow');
  const everywhere = allows.find((policy) => policy.scopeVaultIds === null);
  const demands = allows.filter((policy) => touches(policy, vaultIds)).flatMap(demandOf);
  if (everywhere !== undefined) return { policy: referTo(everywhere), demands };
  const perVault = vaultIds.map((id) => allows.find((row) => row.scopeVaultIds?.includes(id)));
  const first = perVault[0];
  if (first === undefined || perVault.includes(undefined)) {
    return deny('no_admin_policy', action);
  }
  return { policy: referTo(first), demands };
}

/** Whether any policy allows `user` the action, in any vault. If none does, their request need not be read. */
export function isAllowedAny(state: VaultState, user: User, action: AdminPolicyType): boolean {
  return policiesFor(state, user, action).some(({ effect }) => effect === 'allow');
}

function demandOf(policy: AdminPolicy): Demand[] {
  const { approvals, delayMs = 0 } = policy;
  return approvals === undefined && delayMs === 0
    ? []
    : [{ policy: referTo(policy), approvals, delayMs }];
}

/**
 * Whether `holder` may do everything that `user` may, in every vault that is or will be, and has no demands to meet
 * that `user` has not.
 */
export function holdsRightsOf(state: VaultState, holder: User, user: User): boolean {
  return ADMIN_POLICY_TYPES.every((action) =>
    distinctScopes(state, action, [holder, user]).every((vaultIds) =>
      isAsFree(
        authorizeAdmin(state, holder, action, vaultIds),
        authorizeAdmin(state, user, action, vaultIds),
      ),
    ),
  );
}

function isAsFree(holder: Permission | Refusal, user: Permission | Refusal): boolean {
  if (isRefusal(user)) return true;
  if (isRefusal(holder)) return false;
  const bound = new Set(user.demands.map(({ policy }) => policy.id));
  return holder.demands.every(({ policy }) => bound.has(policy.id));
}

/** Without these the vault could not be mended, nor a freeze of the system be ended: no policy changes during one. */
const NEVER_LOST = {
  manage_admin_policies: 'change the administrative policy',
  unfreeze: 'unfreeze the system',
} as const satisfies Partial<Record<AdminPolicyType, string>>;

/**
 * What nobody is left to do for good, in words: an active machine user without an expiry, or a person with a passkey.
 * No change may take the last such user away.
 */
export function findLostRight(state: VaultState): string | undefined {
  const lost = Object.entries(NEVER_LOST).find(
    ([action]) => !hasHolder(state, action as keyof typeof NEVER_LOST),
  );
  return lost?.[1];
}

function hasHolder(state: VaultState, action: AdminPolicyType): boolean {
  return [...allowedBy(state, action)].some((user) => {
    if (!isThereForGood(user)) return false;
    const permission = authorizeAdmin(state, user, action);
    return (
      !isRefusal(permission) &&
      permission.demands.every(({ approvals }) => canBeApproved(state, user, approvals))
    );
  });
}

/** Whether enough users other than `user` are there who can approve. */
export function canBeApproved(
  state: VaultState,
  user: Pick<User, 'id'> | undefined,
  approvals: AskedApprovals | undefined,
): boolean {
  if (approvals === undefined) return true;
  let others = 0;
  for (const other of membersOf(state, approvals.approvers)) {
    if (other.id !== user?.id && isThereForGood(other)) others += 1;
  }
  return others >= approvals.quorum;
}

/** An active machine user without an expiry who may come from anywhere, or a person with a passkey. */
export function isThereForGood(user: User): boolean {
  if (user.frozen !== null) return false;
  if (user.type === 'human') return isEnrolled(user);
  // a list may be wrong, or its addresses be lost
  return user.expiresAt === null && user.allowedAddresses === undefined;
}

/** All users whom this names, each once. */
export function membersOf(state: VaultState, subjects: Subjects): Set<User> {
  const named = subjects.userIds.flatMap((id) => state.users.rows.get(id) ?? []);
  const groups = new Set(subjects.userGroupIds);
  if (groups.size === 0) return new Set(named);
  const members = [...state.users.rows.values()].filter((user) =>
    user.userGroupIds.some((id) => groups.has(id)),
  );
  return new Set([...named, ...members]);
}

/** Whom its policies name that allow it. */
function allowedBy(state: VaultState, action: AdminPolicyType): Set<User> {
  const policies = policiesByAction(state).get(action) ?? [];
  const allows = policies.filter(({ effect }) => effect === 'allow');
  return membersOf(state, {
    userIds: allows.flatMap((policy) => policy.subjects.userIds),
    userGroupIds: allows.flatMap((policy) => policy.subjects.userGroupIds),
  });
}

/** Whether these users and groups include the user. */
export function isSubject(subjects: Subjects, user: Pick<User, 'id' | 'userGroupIds'>): boolean {
  return (
    subjects.userIds.includes(user.id) ||
    subjects.userGroupIds.some((id) => user.userGroupIds.includes(id))
  );
}

function policiesFor(state: VaultState, user: User, action: AdminPolicyType): AdminPolicy[] {
  return (policiesByAction(state).get(action) ?? []).filter(({ subjects }) =>
    isSubject(subjects, user),
  );
}

type ByAction = ReadonlyMap<AdminPolicyType, readonly AdminPolicy[]>;

/**
 * Every change asks for some action, and each new user asks for all. The policies hardly ever change, so they are
 * cached.
 */
const BY_ACTION = new WeakMap<VaultState['adminPolicies']['rows'], ByAction>();

/** Keeps the order of the table's rows. */
function policiesByAction(state: VaultState): ByAction {
  const { rows } = state.adminPolicies;
  const known = BY_ACTION.get(rows);
  if (known !== undefined) return known;
  const byAction = new Map<AdminPolicyType, AdminPolicy[]>();
  for (const policy of rows.values()) {
    const policies = byAction.get(policy.action);
    if (policies === undefined) byAction.set(policy.action, [policy]);
    else policies.push(policy);
  }
  BY_ACTION.set(rows, byAction);
  return byAction;
}

function touches(policy: AdminPolicy, vaultIds: readonly string[]): boolean {
  if (policy.scopeVaultIds === null || vaultIds.length === 0) return true;
  return vaultIds.some((id) => policy.scopeVaultIds?.includes(id));
}

const ANY_OTHER_VAULT = 'any other vault';

/** Scopes that the policies on `users` can tell apart: no vault, each vault that a policy names, any other vault. */
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
