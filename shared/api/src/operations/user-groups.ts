import * as s from '@countersign/core/shapes.js';
import { deletedView } from '../common-schema.js';
import { apiOperation, READ, WRITE } from '../operation.js';
import { pageQuery } from '../primitives.js';
import { userGroup, userGroupTexts, userGroupPage } from '../user-schema.js';
import { USER_GROUP_ID, userGroup as groupExample } from '../example-values.js';
import {
  createUserGroupRequest,
  deleteUserGroupRequest,
  updateUserGroupRequest,
} from '../requests/users.js';

const tag = 'user-groups';

export const createUserGroupOperation = apiOperation({
  ...WRITE,
  tag,
  ...createUserGroupRequest,
  texts: userGroupTexts,
  summary: 'Create a user group',
  description:
    'Creates a group without members; users join it through `user_group_ids` of their own. Policies name groups as they name users. ' +
    'Answers 409 when another group has the name, compared without the case of ASCII letters.',
  response: userGroup,
  example: { body: { display_name: 'Traders' }, response: groupExample },
});

export const updateUserGroupOperation = apiOperation({
  ...WRITE,
  tag,
  ...updateUserGroupRequest,
  texts: userGroupTexts,
  summary: 'Update a user group',
  description:
    'Changes name and description; a description that is not given stays. Members and the policies that name the group are not touched. ' +
    'Answers 404 when there is no such group. Answers 409 when another group has the name.',
  response: userGroup,
  example: { body: { display_name: 'Traders' }, response: groupExample },
});

export const deleteUserGroupOperation = apiOperation({
  ...WRITE,
  tag,
  ...deleteUserGroupRequest,
  summary: 'Delete a user group that nothing names',
  description:
    'Deletes a group that has no members and that no policy names. Answers 404 when there is no such group. Answers 409 while users or policies refer to it, and names up to ten of them.',
  response: deletedView,
  example: { response: { deleted: [USER_GROUP_ID] } },
});

export const listUserGroupsOperation = apiOperation({
  ...READ,
  tag,
  id: 'list-user-groups',
  path: '/v1/user-groups',
  summary: 'List user groups',
  description: 'User groups in the order of their creation, oldest first, page by page.',
  query: s.strictObject(pageQuery),
  response: userGroupPage,
  example: {
    query: { limit: '50' },
    response: { results: [groupExample], next_cursor: null },
  },
});

export const getUserGroupOperation = apiOperation({
  ...READ,
  tag,
  id: 'get-user-group',
  path: '/v1/user-groups/{group_id}',
  summary: 'Get a user group',
  description: 'One user group. Answers 404 when there is no such group.',
  response: userGroup,
  example: { response: groupExample },
});

export const USER_GROUP_OPERATIONS = [
  createUserGroupOperation,
  updateUserGroupOperation,
  deleteUserGroupOperation,
  listUserGroupsOperation,
  getUserGroupOperation,
] as const;
