import {
  listSecurityGroupsQuery,
  securityGroup,
  securityGroupPage,
} from '@countersign/api/policy-schema.js';
import { securityGroupView } from '@countersign/vault/views/policy-view.js';
import { findRow, nothing } from '@countersign/vault/operations/lookups.js';
import { pageOf, viewOf } from './page.js';
import { readOperation } from './read-operation.js';

export const listSecurityGroups = readOperation({
  id: 'list-security-groups',
  method: 'GET',
  path: '/v1/security-groups',
  summary: 'List security groups',
  action: 'view_system_resources',
  query: listSecurityGroupsQuery,
  response: securityGroupPage,
  handle: (context, { query }) =>
    pageOf(context, {
      name: 'security-groups',
      table: context.state.securityGroups,
      query,
      matches: (group) =>
        query.signing_policy_id === undefined ||
        group.signingPolicyIds.includes(query.signing_policy_id),
      view: securityGroupView,
    }),
});

export const getSecurityGroup = readOperation({
  id: 'get-security-group',
  method: 'GET',
  path: '/v1/security-groups/{group_id}',
  summary: 'Get a security group',
  action: 'view_system_resources',
  query: nothing,
  response: securityGroup,
  handle: ({ state }, { params }) =>
    viewOf(findRow(state.securityGroups, params['group_id']), securityGroupView),
});
