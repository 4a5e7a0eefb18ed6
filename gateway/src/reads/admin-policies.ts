import {
  adminPolicy,
  adminPolicyPage,
  listAdminPoliciesQuery,
} from '@countersign/api/policy-schema.js';
import { adminPolicyView } from '@countersign/vault/views/policy-view.js';
import { findRow, nothing } from '@countersign/vault/operations/lookups.js';
import { listMatcher, pageOf, viewOf } from './page.js';
import { readOperation } from './read-operation.js';

export const listAdminPolicies = readOperation({
  id: 'list-admin-policies',
  method: 'GET',
  path: '/v1/admin-policies',
  summary: 'List administrative policies',
  action: 'view_system_resources',
  query: listAdminPoliciesQuery,
  response: adminPolicyPage,
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

export const getAdminPolicy = readOperation({
  id: 'get-admin-policy',
  method: 'GET',
  path: '/v1/admin-policies/{policy_id}',
  summary: 'Get an administrative policy',
  action: 'view_system_resources',
  query: nothing,
  response: adminPolicy,
  handle: ({ state }, { params }) =>
    viewOf(findRow(state.adminPolicies, params['policy_id']), adminPolicyView),
});
