import {
  getSecurityGroupOperation,
  listSecurityGroupsOperation,
} from '@countersign/api/operations/security-groups.js';
import { securityGroupView } from '@countersign/vault/views/policy-view.js';
import { findRow } from '@countersign/vault/operations/lookups.js';
import { pageOf, viewOf } from './page.js';
import { readOperation } from './read-operation.js';

export const listSecurityGroups = readOperation({
  ...listSecurityGroupsOperation,
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
  ...getSecurityGroupOperation,
  handle: ({ state }, { params }) =>
    viewOf(findRow(state.securityGroups, params['group_id']), securityGroupView),
});
