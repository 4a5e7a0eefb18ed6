import * as requests from '@countersign/api/policy-requests.js';
import type * as s from '@countersign/core/shapes.js';
import { refuse, type Refusal } from '@countersign/core/errors.js';
import { canBeApproved, isThereForGood, membersOf } from '../policy/admin-policy.js';
import type { AdminPolicy, VaultState } from '../state/state.js';
import { askedApprovals, requireSubjects, subjectsOf } from './asked-approvals.js';
import {
  VAULT_SCOPED_TYPES,
  type AdminPolicyType,
} from '@countersign/api/requests/admin-policy-types.js';
import { refuseOtherId, requireKnown } from './lookups.js';
import { ledgerOperation } from './ledger-operation.js';
import { RowKind } from './row-kind.js';

type Body = s.OutputOf<typeof requests.createAdminPolicyRequest.body>;

const policies = new RowKind('adminPolicies', { what: 'policy', resourceType: 'admin_policy' });

/**
 * Adds a policy. 422 for a user, group or vault that does not exist, and for a scope on an action that takes none. 409
 * when nobody would be left who can change policies.
 */
export const createAdminPolicy = ledgerOperation({
  ...requests.createAdminPolicyRequest,
  affectsAdministrators: true,
  apply(state, { body }, context) {
    const policy = policies.newRow(context, { ...contentOf(body), version: 1 });
    return (
      findFault(state, body) ?? refuseUnreachable(state, policy) ?? policies.insert(state, policy)
    );
  },
});

/** Replaces all of a policy's content. 409 unless the caller names the version that it has read. */
export const updateAdminPolicy = ledgerOperation({
  ...requests.updateAdminPolicyRequest,
  affectsAdministrators: true,
  apply: (state, input, context) =>
    policies.change(state, input, context, (before) => {
      const { body } = input;
      const { approvals: _approvals, delayMs: _delayMs, ...kept } = before;
      const policy = { ...kept, ...contentOf(body) };
      return (
        refuseOtherId(before, body) ??
        findFault(state, body) ??
        refuseUnreachable(state, policy) ??
        policy
      );
    }),
});

/** Removes a policy. 409 when it is the last that lets somebody change policies. */
export const deleteAdminPolicy = ledgerOperation({
  ...requests.deleteAdminPolicyRequest,
  affectsAdministrators: true,
  apply: (state, { params }) => policies.remove(state, params),
});

/** Freezes and reads never wait. */
const NEVER_PENDING: readonly AdminPolicyType[] = [
  'freeze',
  'view_system_resources',
  'view_audit_logs',
];

function findFault(state: VaultState, body: Body): Refusal | undefined {
  const vaultIds = body.scope?.vault_ids;
  if (vaultIds !== undefined && !VAULT_SCOPED_TYPES.has(body.action)) {
    return refuse('invalid_inputs', `scope: ${body.action} cannot be scoped to vaults`);
  }
  return (
    requireKnown(state.vaults, vaultIds ?? [], 'vault') ??
    requireSubjects(state, body.subjects) ??
    findDemandFault(state, body)
  );
}

function findDemandFault(state: VaultState, body: Body): Refusal | undefined {
  const { action, approvals, delay_s: delay, effect } = body;
  if (approvals === undefined && delay === undefined) return undefined;
  const name = approvals === undefined ? 'delay_s' : 'approvals';
  if (effect === 'deny') return refuse('invalid_inputs', `${name}: what is denied cannot wait`);
  if (NEVER_PENDING.includes(action)) {
    return refuse('invalid_inputs', `${name}: ${action} never waits`);
  }
  return requireSubjects(state, approvals ?? {});
}

/** 409 for a quorum that none of the subjects could ever get: it would be a ban that does not look like one. */
function refuseUnreachable(state: VaultState, policy: AdminPolicy): Refusal | undefined {
  const { approvals, subjects } = policy;
  if (approvals === undefined) return undefined;
  const requesters = [...membersOf(state, subjects)].filter(isThereForGood);
  const isReachable =
    requesters.length === 0
      ? canBeApproved(state, undefined, approvals)
      : requesters.some((user) => canBeApproved(state, user, approvals));
  return isReachable
    ? undefined
    : refuse(
        'resource_conflict',
        'approvals: there are not so many other active users who could approve',
      );
}

function contentOf(body: Body) {
  const { approvals, delay_s: delay } = body;
  return {
    displayName: body.display_name,
    action: body.action,
    effect: body.effect,
    subjects: subjectsOf(body.subjects),
    scopeVaultIds: body.scope?.vault_ids ?? null,
    ...(approvals !== undefined && { approvals: askedApprovals(approvals) }),
    ...(delay !== undefined && { delayMs: delay * 1_000 }),
  };
}
