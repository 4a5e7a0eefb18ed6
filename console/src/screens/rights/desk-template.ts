/**
 * The rights of a desk with bots, two officers and an auditor: one policy for each of the sixteen. Officers run the
 * desk, and what could take their control away needs the word of a second one. Auditors look, and may stop everything.
 * Bots have none of these rights: signing policies say what they sign.
 */
import type { AdminPolicyType } from '@countersign/api/requests/admin-policy-types.js';
import type { AdminPolicy, StatedRight } from './right-words.js';

export interface DeskGroups {
  readonly officers: string;
  readonly auditors: string;
}

type Part = 'officers' | 'officers and auditors' | 'two officers';

/**
 * In the order in which they are written. From the last on a change of rights needs two officers, and those before are
 * not to wait for that.
 */
const PARTS: Readonly<Record<AdminPolicyType, Part>> = {
  view_system_resources: 'officers and auditors',
  view_audit_logs: 'officers and auditors',
  freeze: 'officers and auditors',
  generate_keys: 'officers',
  create_vaults: 'officers',
  manage_vaults: 'officers',
  unfreeze: 'two officers',
  import_keys: 'two officers',
  manage_keys: 'two officers',
  manage_wallets: 'two officers',
  manage_security_groups: 'two officers',
  manage_signing_policies: 'two officers',
  modify_system_settings: 'two officers',
  manage_user_groups: 'two officers',
  manage_users: 'two officers',
  manage_admin_policies: 'two officers',
};

/** As requests state them, in the order in which they are written. */
export function deskRights({ officers, auditors }: DeskGroups) {
  const actions = Object.keys(PARTS) as AdminPolicyType[];
  return actions.map((action) => {
    const part = PARTS[action];
    const hasAuditors = part === 'officers and auditors';
    return {
      display_name: `desk: ${action}`,
      action,
      effect: 'allow' as const,
      subjects: { user_group_ids: hasAuditors ? [officers, auditors] : [officers] },
      ...(part === 'two officers' && { approvals: { quorum: 1, user_group_ids: [officers] } }),
    };
  });
}

export type DeskRight = ReturnType<typeof deskRights>[number];

/** Whether one of these says the same: then it is not written a second time. */
export function isThere(right: DeskRight, policies: readonly AdminPolicy[]): boolean {
  const wanted = essence(right);
  return policies.some((policy) => essence(policy) === wanted);
}

function essence({ action, effect, subjects, scope, approvals, delay_s: delay }: StatedRight) {
  const sorted = (ids: readonly string[] | undefined = []) => [...ids].toSorted();
  const named = (of: StatedRight['subjects']) => [sorted(of.user_ids), sorted(of.user_group_ids)];
  const asked = approvals === undefined ? null : [approvals.quorum, named(approvals)];
  return JSON.stringify([
    action,
    effect,
    named(subjects),
    scope?.vault_ids ?? null,
    asked,
    delay ?? 0,
  ]);
}

/** Whoever has a right of these alone, without any of the template's approvals: they stay, and are told. */
export function rightsBeside(
  policies: readonly AdminPolicy[],
  { officers, auditors }: DeskGroups,
): AdminPolicy[] {
  return policies.filter(({ action, effect, subjects, approvals }) => {
    if (effect === 'deny' || approvals !== undefined) return false;
    if (PARTS[action] !== 'two officers') return false;
    const { user_ids: users, user_group_ids: groups } = subjects;
    return users.length > 0 || groups.some((id) => id !== officers && id !== auditors);
  });
}
