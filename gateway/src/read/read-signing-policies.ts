import {
  getSigningPolicyOperation,
  getSigningPolicyVersionOperation,
  listSigningPoliciesOperation,
} from '@countersign/api/operations/signing-policies.js';
import {
  signingPolicyVersionView,
  signingPolicyView,
} from '@countersign/vault/views/policy-view.js';
import type { SigningPolicy, VaultState } from '@countersign/vault/state/state.js';
import { findVersion } from '@countersign/vault/operations/find-version.js';
import { findRow } from '@countersign/vault/operations/lookups.js';
import { pageOf, viewOf } from './page.js';
import { readOperation } from './read-operation.js';

export const listSigningPolicies = readOperation({
  ...listSigningPoliciesOperation,
  handle: (context, { query }) =>
    pageOf(context, {
      name: 'signing-policies',
      table: context.state.signingPolicies,
      query,
      matches: (policy) =>
        query.security_group_id === undefined || policy.securityGroupId === query.security_group_id,
      view: (policy) => policyView(context.state, policy),
    }),
});

export const getSigningPolicy = readOperation({
  ...getSigningPolicyOperation,
  handle: ({ state }, { params }) =>
    viewOf(findRow(state.signingPolicies, params['policy_id']), (policy) =>
      policyView(state, policy),
    ),
});

export const getSigningPolicyVersion = readOperation({
  ...getSigningPolicyVersionOperation,
  handle: ({ state }, { params }) =>
    viewOf(findVersion(state.signingPolicies, params['policy_id'], params['version']), (policy) =>
      signingPolicyVersionView(policy, state.securityGroups.rows.get(policy.securityGroupId)),
    ),
});

function policyView(state: VaultState, policy: SigningPolicy) {
  const group = state.securityGroups.rows.get(policy.securityGroupId);
  if (group === undefined) throw new Error(`signing policy ${policy.id} has no security group`);
  return signingPolicyView(policy, group);
}
