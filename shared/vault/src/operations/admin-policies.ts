import {
  createAdminPolicyOperation,
  deleteAdminPolicyOperation,
  updateAdminPolicyOperation,
} from '@countersign/api/operations/admin-policies.js';
import type { z } from 'zod';
import { createAdminPolicyBody } from '@countersign/api/policy-schema.js';
import { adminPolicyView } from '../views/policy-view.js';
import { isRefusal, refuse, type Refusal } from '@countersign/core/errors.js';
import type { VaultState } from '../state/state.js';
import { VAULT_SCOPED_TYPES } from '@countersign/api/admin-policy-types.js';
import { deleteRow, insertRow, replaceRow } from '../state/table.js';
import { findRow, requireKnown, newStamps, updatedStamps } from './lookups.js';
import { ledgerOperation, type Subject } from './ledger-operation.js';

type Body = z.output<typeof createAdminPolicyBody>;

/**
 * Adds a policy. 422 for a user, group or vault that is not there, and for a scope on an action that knows
 * none. 409 when nobody would be left who can change policies.
 */
export const createAdminPolicy = ledgerOperation({
  ...createAdminPolicyOperation,
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
export const updateAdminPolicy = ledgerOperation({
  ...updateAdminPolicyOperation,
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

/** Removes a policy. 409 when it is the last that lets somebody change policies. */
export const deleteAdminPolicy = ledgerOperation({
  ...deleteAdminPolicyOperation,
  affectsAdministrators: true,
  apply(state, { params }) {
    const policy = findRow(state.adminPolicies, params['policy_id']);
    if (isRefusal(policy)) return policy;
    return {
      state: { ...state, adminPolicies: deleteRow(state.adminPolicies, policy.id) },
      subject: subjectOf(policy.id),
    };
  },
  answer: (_state, subject) => ({ deleted: [...subject.resourceIds] }),
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
