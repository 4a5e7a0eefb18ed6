/** Refuses what no request's change may do, whatever operation made it. */
import { deny } from '@countersign/core/fold-denials.js';
import { isRefusal, refuse, type Refusal } from '@countersign/core/errors.js';
import { authorizeAdmin } from '../policy/admin-policy.js';
import { groupIdsOf } from '../policy/group-membership.js';
import { approvalsOf, namesInitiator } from '../policy/signing-rights.js';
import type { SecurityGroup, User, VaultState } from '../state/state.js';
import type { EntryFacts } from './entry-outcome.js';
import { refuseNewDependents, refuseSwitchedOff } from '../policy/setting-guards.js';

const MAX_NAMED = 10;

/** Refuses what no change may do, at once or after it has waited. `facts`: who made it, and what it is about. */
export function refuseUnguarded(
  before: VaultState,
  after: VaultState,
  facts: Pick<EntryFacts, 'subject' | 'actorId'>,
): Refusal | undefined {
  return (
    refuseSwitchedOff(before, after.settings) ??
    refuseNewDependents(before, after) ??
    refuseNamedUsers(after, facts) ??
    refuseOwnSelection(before, after, facts)
  );
}

/** 409 for deleting a user whom a policy names: a policy never loses its subject in silence. */
function refuseNamedUsers(
  after: VaultState,
  { subject }: Pick<EntryFacts, 'subject'>,
): Refusal | undefined {
  for (const id of subject?.userIds ?? []) {
    const policies = after.users.rows.has(id) ? [] : policiesNaming(after, id);
    if (policies.length > 0) {
      const names = policies.slice(0, MAX_NAMED).join(', ');
      return refuse('resource_conflict', `the user is named by policies: ${names}`);
    }
  }
  return undefined;
}

/** Ids of the policies that name a user directly; whoever gives policies more ways to name users adds them here. */
function policiesNaming({ adminPolicies, signingPolicies }: VaultState, userId: string): string[] {
  const administrative = [...adminPolicies.rows.values()].filter(({ subjects, approvals }) =>
    [subjects, approvals?.approvers].some((named) => named?.userIds.includes(userId) === true),
  );
  const signing = [...signingPolicies.rows.values()].filter(({ rules }) =>
    rules.some((rule) => {
      const { initiators } = rule.when;
      const named = [
        initiators === 'anyone' ? undefined : initiators,
        approvalsOf(rule)?.approvers,
      ];
      return named.some((subjects) => subjects?.userIds.includes(userId) === true);
    }),
  );
  return [...administrative, ...signing].map(({ id }) => id);
}

/**
 * 403 for making a key or wallet whose labels put it into a group by which its maker could sign with it, unless the
 * maker may manage that group. By a selector, whoever manages a group says that new keys fall under its rules. It must
 * not be a way for those who make keys to give themselves signatures.
 */
function refuseOwnSelection(
  before: VaultState,
  after: VaultState,
  { subject, actorId }: Pick<EntryFacts, 'subject' | 'actorId'>,
): Refusal | undefined {
  const maker = before.users.rows.get(actorId ?? '');
  if (maker === undefined) return undefined;
  for (const id of subject?.resourceIds ?? []) {
    if (before.keys.rows.has(id) || before.wallets.rows.has(id)) continue;
    const groups = groupIdsOf(after, id).flatMap((groupId) =>
      after.securityGroups.rows.get(groupId)!,
    );
    const own = groups.find(
      (group) => letsSign(after, group, maker) && !mayManage(before, maker, group),
    );
    if (own !== undefined) {
      return deny('own_selection', own.id);
    }
  }
  return undefined;
}

/** A rule that is switched off counts: whoever switches it on does not look at who made what. */
function letsSign({ signingPolicies }: VaultState, group: SecurityGroup, user: User): boolean {
  return group.signingPolicyIds.some(
    (id) =>
      signingPolicies.rows
        .get(id)
        ?.rules.some((rule) => rule.then !== 'deny' && namesInitiator(rule, user)) === true,
  );
}

function mayManage(state: VaultState, user: User, { vaultIds }: SecurityGroup): boolean {
  const permission = authorizeAdmin(state, user, 'manage_security_groups', vaultIds ?? []);
  // whoever needs others for it may not do it alone
  return (
    !isRefusal(permission) &&
    permission.demands.every(({ approvals, delayMs }) => approvals === undefined && delayMs === 0)
  );
}
