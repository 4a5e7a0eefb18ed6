import {
  getUserGroupOperation,
  listUserGroupsOperation,
} from '@countersign/api/operations/user-groups.js';
import { userGroupView } from '@countersign/vault/views/user-view.js';
import { findRow } from '@countersign/vault/operations/lookups.js';
import { pageOf, viewOf } from './page.js';
import { readOperation } from './read-operation.js';

export const listUserGroups = readOperation({
  ...listUserGroupsOperation,
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
  ...getUserGroupOperation,
  handle: ({ state }, { params }) =>
    viewOf(findRow(state.userGroups, params['group_id']), userGroupView),
});
