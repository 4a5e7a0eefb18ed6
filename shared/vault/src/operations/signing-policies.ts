import {
  createSigningPolicyRequest,
  deleteSigningPolicyRequest,
  orderSigningPoliciesRequest,
  updateSigningPolicyRequest,
} from '@countersign/api/policy-requests.js';
import { isRefusal, refuse, type Refusal } from '@countersign/core/errors.js';
import type { SecurityGroup, SigningPolicy, VaultState } from '../state/state.js';
import { deleteRow, insertRow, replaceRow } from '../state/table.js';
import { findRow, newStamps, refuseOtherId, updatedStamps } from './lookups.js';
import { ledgerOperation, type Subject } from './ledger-operation.js';
import type { Input } from './operation-input.js';
import { makeRules } from './signing-rules.js';

/**
 * Adds a policy behind those that its group has. 422 for rules that could never match or hold, see
 * `checks/rule-faults.ts`.
 */
export const createSigningPolicy = ledgerOperation({
  ...createSigningPolicyRequest,
  vaultIds: (state, { body }) => vaultsOfGroup(state, body.security_group_id),
  apply(state, { body }, context) {
    const group = state.securityGroups.rows.get(body.security_group_id);
    if (group === undefined) {
      return refuse('invalid_inputs', 'security_group_id: names an unknown security group');
    }
    const rules = makeRules(state, body.rules, {
      newId: (name) => context.newId(name),
      kept: [],
    });
    if (isRefusal(rules)) return rules;
    const policy: SigningPolicy = {
      id: context.newId('signing-policy'),
      displayName: body.display_name,
      securityGroupId: group.id,
      version: 1,
      rules,
      ...newStamps(context),
    };
    const signingPolicyIds = [...group.signingPolicyIds, policy.id];
    return {
      state: {
        ...state,
        signingPolicies: insertRow(state.signingPolicies, policy),
        securityGroups: replaceRow(state.securityGroups, { ...group, signingPolicyIds }),
      },
      subject: subjectOf(policy, group),
    };
  },
});

/**
 * Replaces name and rules; a rule that names its id keeps it. 409 unless the caller names the version that it has
 * read.
 */
export const updateSigningPolicy = ledgerOperation({
  ...updateSigningPolicyRequest,
  vaultIds: policyVaults,
  apply(state, { params, body }, context) {
    const before = findRow(state.signingPolicies, params['policy_id']);
    if (isRefusal(before)) return before;
    if (body.version !== before.version) {
      return refuse('resource_conflict', `the policy is at version ${before.version}`);
    }
    const fault = findChangedIdentity(before, body);
    if (fault !== undefined) return fault;
    const rules = makeRules(state, body.rules, {
      newId: (name) => context.newId(name),
      kept: idsOf(before),
    });
    if (isRefusal(rules)) return rules;
    const policy = {
      ...before,
      displayName: body.display_name,
      rules,
      version: before.version + 1,
      ...updatedStamps(context),
    };
    return {
      state: { ...state, signingPolicies: replaceRow(state.signingPolicies, policy) },
      subject: subjectOf(policy, groupOf(state, policy)),
    };
  },
});

/** Removes a policy from its group. What no other rule allows is denied from then on. */
export const deleteSigningPolicy = ledgerOperation({
  ...deleteSigningPolicyRequest,
  vaultIds: policyVaults,
  apply(state, { params }) {
    const policy = findRow(state.signingPolicies, params['policy_id']);
    if (isRefusal(policy)) return policy;
    const group = groupOf(state, policy);
    const signingPolicyIds = group.signingPolicyIds.filter((id) => id !== policy.id);
    return {
      state: {
        ...state,
        signingPolicies: deleteRow(state.signingPolicies, policy.id),
        securityGroups: replaceRow(state.securityGroups, { ...group, signingPolicyIds }),
      },
      subject: subjectOf(policy, group),
    };
  },
});

/** Puts a group's policies in another order of evaluation. 422 unless each of them is named once. */
export const orderSigningPolicies = ledgerOperation({
  ...orderSigningPoliciesRequest,
  vaultIds: (state, { params }) => vaultsOfGroup(state, params['group_id'] ?? ''),
  apply(state, { params, body }, context) {
    const group = findRow(state.securityGroups, params['group_id']);
    if (isRefusal(group)) return group;
    const ids = body.signing_policy_ids;
    const isPermutation =
      ids.length === group.signingPolicyIds.length &&
      group.signingPolicyIds.every((id) => ids.includes(id));
    if (!isPermutation) {
      return refuse('invalid_inputs', "signing_policy_ids: must name each of the group's policies");
    }
    const after = { ...group, signingPolicyIds: ids, ...updatedStamps(context) };
    return {
      state: { ...state, securityGroups: replaceRow(state.securityGroups, after) },
      subject: {
        resourceType: 'security_group',
        resourceIds: [after.id],
        vaultIds: after.vaultIds ?? [],
      },
    };
  },
});

/** The output of `GET` may be put back unchanged, but it cannot change fields that an update does not set. */
function findChangedIdentity(
  { id, securityGroupId }: SigningPolicy,
  given: { readonly id?: string | undefined; readonly security_group_id?: string | undefined },
): Refusal | undefined {
  const isElsewhere =
    given.security_group_id !== undefined && given.security_group_id !== securityGroupId;
  return (
    refuseOtherId({ id }, given) ??
    (isElsewhere
      ? refuse('invalid_inputs', 'security_group_id: a policy stays in its group')
      : undefined)
  );
}

function idsOf({ rules }: SigningPolicy): readonly string[] {
  return rules.map(({ id }) => id);
}

function policyVaults(state: VaultState, { params }: Input<unknown, unknown>): readonly string[] {
  const policy = state.signingPolicies.rows.get(params['policy_id'] ?? '');
  return policy === undefined ? [] : vaultsOfGroup(state, policy.securityGroupId);
}

export function vaultsOfGroup(state: VaultState, groupId: string): readonly string[] {
  return state.securityGroups.rows.get(groupId)?.vaultIds ?? [];
}

export function groupOf(state: VaultState, policy: SigningPolicy): SecurityGroup {
  const group = state.securityGroups.rows.get(policy.securityGroupId);
  if (group === undefined) throw new Error(`signing policy ${policy.id} has no group`);
  return group;
}

function subjectOf(policy: SigningPolicy, group: SecurityGroup): Subject {
  return {
    resourceType: 'signing_policy',
    resourceIds: [policy.id],
    vaultIds: group.vaultIds ?? [],
  };
}
