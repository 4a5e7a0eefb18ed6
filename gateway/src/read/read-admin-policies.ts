import {
  getAdminPolicyOperation,
  getAdminPolicyVersionOperation,
  listAdminPoliciesOperation,
} from '@countersign/api/operations/admin-policies.js';
import { adminPolicyView } from '@countersign/vault/views/policy-view.js';
import { findVersion } from '@countersign/vault/operations/find-version.js';
import { findRow } from '@countersign/vault/operations/lookups.js';
import { listMatcher, pageOf, viewOf } from './page.js';
import { readOperation } from './read-operation.js';

export const listAdminPolicies = readOperation({
  ...listAdminPoliciesOperation,
  handle(context, { query }) {
    const hasAction = listMatcher(query.actions);
    return pageOf(context, {
      name: 'admin-policies',
      table: context.state.adminPolicies,
      query,
      matches: (policy) => hasAction(policy.action),
      view: adminPolicyView,
    });
  },
});

export const getAdminPolicyVersion = readOperation({
  ...getAdminPolicyVersionOperation,
  handle: ({ state }, { params }) =>
    viewOf(
      findVersion(state.adminPolicies, params['policy_id'], params['version']),
      adminPolicyView,
    ),
});

export const getAdminPolicy = readOperation({
  ...getAdminPolicyOperation,
  handle: ({ state }, { params }) =>
    viewOf(findRow(state.adminPolicies, params['policy_id']), adminPolicyView),
});
