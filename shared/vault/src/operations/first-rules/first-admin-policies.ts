/** Administrative policies as the first rules know them: without approvals and without a delay. */
import {
  createAdminPolicyOperation,
  updateAdminPolicyOperation,
} from '@countersign/api/operations/admin-policies.js';
import { z } from 'zod';
import { adminPolicyView } from '../../views/policy-view.js';
import { isRefusal, refuse, type Refusal } from '@countersign/core/errors.js';
import type { VaultState } from '../../state/state.js';
import { ADMIN_POLICY_TYPES, VAULT_SCOPED_TYPES } from '@countersign/api/admin-policy-types.js';
import { displayName, idList } from '@countersign/api/primitives.js';
import { insertRow, replaceRow } from '../../state/table.js';
import { findRow, requireKnown, newStamps, updatedStamps } from '../lookups.js';
import { ledgerOperation, type Subject } from '../ledger-operation.js';

const subjects = z
  .strictObject({ user_ids: idList().optional(), user_group_ids: idList().optional() })
  .refine(
    (value) => (value.user_ids?.length ?? 0) + (value.user_group_ids?.length ?? 0) > 0,
    'must name at least one user or group',
  );

const createBody = z.strictObject({
  display_name: displayName,
  action: z.enum(ADMIN_POLICY_TYPES),
  effect: z.enum(['allow', 'deny']),
  subjects,
  scope: z.strictObject({ vault_ids: idList().min(1).optional() }).optional(),
  approvals: z
    .strictObject({
      quorum: z.number().int().min(1),
      user_ids: idList().optional(),
      user_group_ids: idList().optional(),
    })
    .optional(),
});

type Body = z.output<typeof createBody>;

/**
 * Adds a policy. 422 for a user, group or vault that is not there, and for a scope on an action that knows
 * none. 409 when nobody would be left who can change policies.
 */
export const firstCreateAdminPolicy = ledgerOperation({
  ...createAdminPolicyOperation,
  body: createBody,
  affectsAdministrators: true,
  apply(state, { body }, context) {
    const fault = findFault(state, body);
    if (fault !== undefined) return fault;
    const policy = {
      id: context.newId('admin-policy'),
      ...contentOf(body),
      version: 1,
      ...newStamps(context),
    };
    return {
      state: { ...state, adminPolicies: insertRow(state.adminPolicies, policy) },
      subject: subjectOf(policy.id),
    };
  },
  answer: answerPolicy,
});

/** Replaces all of a policy's content. 409 unless the caller names the version that it has read. */
export const firstUpdateAdminPolicy = ledgerOperation({
  ...updateAdminPolicyOperation,
  body: createBody.extend({ version: z.number().int().min(1) }),
  affectsAdministrators: true,
  apply(state, { params, body }, context) {
    const before = findRow(state.adminPolicies, params['policy_id']);
    if (isRefusal(before)) return before;
    if (body.version !== before.version) {
      return refuse('resource_conflict', `the policy is at version ${before.version}`);
    }
    const fault = findFault(state, body);
    if (fault !== undefined) return fault;
    const policy = {
      ...before,
      ...contentOf(body),
      version: before.version + 1,
      ...updatedStamps(context),
    };
    return {
      state: { ...state, adminPolicies: replaceRow(state.adminPolicies, policy) },
      subject: subjectOf(policy.id),
    };
  },
  answer: answerPolicy,
});

function findFault(state: VaultState, body: Body): Refusal | undefined {
  if (body.approvals !== undefined) {
    return refuse('invalid_inputs', 'approvals: approvals are not available in this release');
  }
  const vaultIds = body.scope?.vault_ids;
  if (vaultIds !== undefined && !VAULT_SCOPED_TYPES.has(body.action)) {
    return refuse('invalid_inputs', `scope: ${body.action} cannot be scoped to vaults`);
  }
  return (
    requireKnown(state.vaults, vaultIds ?? [], 'vault') ??
    requireKnown(state.users, body.subjects.user_ids ?? [], 'user') ??
    requireKnown(state.userGroups, body.subjects.user_group_ids ?? [], 'user group')
  );
}

function contentOf(body: Body) {
  return {
    displayName: body.display_name,
    action: body.action,
    effect: body.effect,
    subjects: {
      userIds: body.subjects.user_ids ?? [],
      userGroupIds: body.subjects.user_group_ids ?? [],
    },
    scopeVaultIds: body.scope?.vault_ids ?? null,
  };
}

function subjectOf(id: string): Subject {
  return { resourceType: 'admin_policy', resourceIds: [id] };
}

function answerPolicy(state: VaultState, subject: Subject) {
  const policy = findRow(state.adminPolicies, subject.resourceIds[0]);
  return isRefusal(policy) ? policy : adminPolicyView(policy);
}
