/** What each right lets somebody do, and what a policy says about it. */
import type { AdminPolicyType } from '@countersign/api/requests/admin-policy-types.js';
import type { OperationValue } from '@countersign/client/operation-calls.js';

export type AdminPolicy = OperationValue<'list-admin-policies'>['results'][number];

/** In the order in which they are shown. */
export const RIGHTS: Readonly<Record<AdminPolicyType, string>> = {
  view_system_resources: 'See users, keys, vaults, policies and requests',
  view_audit_logs: 'Read and export the audit log',
  freeze: 'Freeze',
  unfreeze: 'Lift freezes',
  manage_admin_policies: 'Change these rights',
  manage_users: 'Make, change and delete users',
  manage_user_groups: 'Make, change and delete groups of users',
  manage_signing_policies: 'Change what may be signed',
  manage_security_groups: 'Say which keys and wallets a policy is about',
  modify_system_settings: 'Change settings and webhooks',
  generate_keys: 'Have the parties make keys',
  import_keys: 'Import keys of exchanges',
  manage_keys: 'Rename, label and destroy keys',
  create_vaults: 'Make vaults',
  manage_vaults: 'Rename vaults',
  manage_wallets: 'Make, change and remove wallets',
};

export const RIGHT_NAMES = Object.keys(RIGHTS) as readonly AdminPolicyType[];

/** What a policy says, as a request states it or as the vault tells it. */
export interface StatedRight {
  readonly display_name: string;
  readonly action: AdminPolicyType;
  readonly effect: 'allow' | 'deny';
  readonly subjects: Named;
  readonly scope?: { readonly vault_ids?: readonly string[] | undefined } | undefined;
  readonly approvals?: (Named & { readonly quorum: number }) | undefined;
  readonly delay_s?: number | undefined;
}

interface Named {
  readonly user_ids?: readonly string[] | undefined;
  readonly user_group_ids?: readonly string[] | undefined;
}

/** Of users, groups and vaults, by id. */
export type Names = ReadonlyMap<string, string>;

export function idsIn({ user_ids: users = [], user_group_ids: groups = [] }: Named): string[] {
  return [...users, ...groups];
}

/** E.g. `Officers, after 1 approval of Officers`. */
export function rightWords(policy: StatedRight, names: Names): string {
  const { who, where, approvals, delay } = factsOf(policy, names);
  const limits = [
    ...(where === EVERYWHERE ? [] : [`in ${where}`]),
    ...(approvals === NONE ? [] : [`after ${approvals}`]),
    ...(delay === NONE ? [] : [`${delay} later`]),
  ];
  return [`${policy.effect === 'deny' ? 'never ' : ''}${who}`, ...limits].join(', ');
}

const EVERYWHERE = 'every vault';
const NONE = 'none';

/** Each part of a policy in words, to be compared. */
export function factsOf(policy: StatedRight, names: Names) {
  const { approvals, scope, delay_s: delay = 0 } = policy;
  const named = (ids: readonly string[]) => ids.map((id) => nameOf(id, names)).join(', ');
  const quorum = approvals?.quorum ?? 0;
  return {
    name: policy.display_name,
    right: policy.action,
    effect: policy.effect,
    who: named(idsIn(policy.subjects)),
    where: scope?.vault_ids === undefined ? EVERYWHERE : named(scope.vault_ids),
    approvals:
      approvals === undefined
        ? NONE
        : `${quorum} ${quorum === 1 ? 'approval' : 'approvals'} of ${named(idsIn(approvals))}`,
    delay: delay === 0 ? NONE : exactDuration(delay),
  };
}

/** Names of users are not unique: of two that have the same, each is told with its id. */
function nameOf(id: string, names: Names): string {
  const name = names.get(id);
  if (name === undefined) return id;
  const isAlone = [...names].every(([other, its]) => other === id || its !== name);
  return isAlone ? name : `${name} (${id})`;
}

/** Nothing is rounded: what differs is to be seen. */
function exactDuration(seconds: number): string {
  if (seconds % 3_600 === 0) return `${seconds / 3_600} h`;
  return seconds % 60 === 0 ? `${seconds / 60} min` : `${seconds} s`;
}

export interface FactChange {
  readonly field: string;
  /** Absent: there was no policy. */
  readonly before?: string;
  readonly after: string;
}

/** What differs, fact by fact; all of it where there was no policy. */
export function changesOf(
  before: StatedRight | undefined,
  after: StatedRight,
  names: Names,
): FactChange[] {
  const was = before === undefined ? undefined : Object.entries(factsOf(before, names));
  return Object.entries(factsOf(after, names)).flatMap(([field, is], index) => {
    if (was === undefined) return [{ field, after: is }];
    const [, old] = was[index]!;
    return old === is ? [] : [{ field, before: old, after: is }];
  });
}
