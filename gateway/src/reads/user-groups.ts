import { pageQuery } from '@countersign/api/primitives.js';
import { userGroup, userGroupPage } from '@countersign/api/user-schema.js';
import { userGroupView } from '@countersign/vault/views/user-view.js';
import { findRow, nothing } from '@countersign/vault/operations/lookups.js';
import { z } from 'zod';
import { pageOf, viewOf } from './page.js';
import { readOperation } from './read-operation.js';

export const listUserGroups = readOperation({
  id: 'list-user-groups',
  method: 'GET',
  path: '/v1/user-groups',
  summary: 'List user groups',
  action: 'view_system_resources',
  query: z.strictObject(pageQuery),
  response: userGroupPage,
  handle: (context, { query }) =>
    pageOf(context, {
      name: 'user-groups',
      table: context.state.userGroups,
      query,
      matches: () => true,
      view: userGroupView,
    }),
});

export const getUserGroup = readOperation({
  id: 'get-user-group',
  method: 'GET',
  path: '/v1/user-groups/{group_id}',
  summary: 'Get a user group',
  action: 'view_system_resources',
  query: nothing,
  response: userGroup,
  handle: ({ state }, { params }) =>
    viewOf(findRow(state.userGroups, params['group_id']), userGroupView),
});
