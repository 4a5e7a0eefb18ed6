import * as requests from '@countersign/api/policy-requests.js';
import { isRefusal, refuse, type Refusal } from '@countersign/core/errors.js';
import type { SecurityGroup, SigningPolicy, VaultState } from '../state/state.js';
import { replaceRow } from '../state/table.js';
import { findRow, refuseOtherId, updatedStamps } from './lookups.js';
import { ledgerOperation } from './ledger-operation.js';
import type { Input } from './operation-input.js';
import { RowKind } from './row-kind.js';
import { makeRules } from './signing-rules.js';

const policies = new RowKind('signingPolicies', {
  what: 'policy',
  resourceType: 'signing_policy',
  vaultsOf: ({ securityGroupId }, state) => ({ vaultIds: vaultsOfGroup(state, securityGroupId) }),
});

/**
 * Adds a policy behind those that its group has. 422 for rules that could never match or hold, see
 * `checks/rule-faults.ts`.
 */
export const createSigningPolicy = ledgerOperation({
  ...requests.createSigningPolicyRequest,
  vaultIds: (state, { body }) => vaultsOfGroup(state, body.security_group_id),
  apply(state, { body }, context) {
    const group = state.securityGroups.rows.get(body.security_group_id);
    if (group === undefined) {
      return refuse('invalid_inputs', 'security_group_id: names an unknown security group');
    }
    const rules = makeRules(state, body.rules, context);
    if (isRefusal(rules)) return rules;
    const policy = policies.newRow(context, {
      displayName: body.display_name,
      securityGroupId: group.id,
      version: 1,
      rules,
    });
    const ids = [...group.signingPolicyIds, policy.id];
    return policies.insert(withPolicies(state, group, ids), policy);
  },
});

/**
 * Replaces name and rules; a rule that names its id keeps it. 409 unless the caller names the version that it has
 * read.
 */
export const updateSigningPolicy = ledgerOperation({
  ...requests.updateSigningPolicyRequest,
  vaultIds: policyVaults,
  apply: (state, input, context) =>
    policies.change(state, input, context, (before) => {
      const { body } = input;
      const fault = findChangedIdentity(before, body);
      if (fault !== undefined) return fault;
      const ids = before.rules.map(({ id }) => id);
      const rules = makeRules(state, body.rules, context, ids);
      return isRefusal(rules) ? rules : { ...before, displayName: body.display_name, rules };
    }),
});

/** Removes a policy from its group. What no other rule allows is denied from then on. */
export const deleteSigningPolicy = ledgerOperation({
  ...requests.deleteSigningPolicyRequest,
  vaultIds: policyVaults,
  apply(state, { params }) {
    const policy = policies.find(state, params);
    if (isRefusal(policy)) return policy;
    const group = groupOf(state, policy);
    const ids = group.signingPolicyIds.filter((id) => id !== policy.id);
    return policies.remove(withPolicies(state, group, ids), params);
  },
});

/** Puts a group's policies in another order of evaluation. 422 unless each of them is named once. */
export const orderSigningPolicies = ledgerOperation({
  ...requests.orderSigningPoliciesRequest,
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
  const isThere = (given.security_group_id ?? securityGroupId) === securityGroupId;
  const elsewhere = 'security_group_id: a policy stays in its group';
  return (
    refuseOtherId({ id }, given) ?? (isThere ? undefined : refuse('invalid_inputs', elsewhere))
  );
}

function withPolicies(
  state: VaultState,
  group: SecurityGroup,
  signingPolicyIds: readonly string[],
): VaultState {
  const securityGroups = replaceRow(state.securityGroups, { ...group, signingPolicyIds });
  return { ...state, securityGroups };
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
