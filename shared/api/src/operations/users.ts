import { deletedView } from '../common-schema.js';
import { apiOperation, READ, WRITE } from '../operation.js';
import {
  createdUser,
  createUserTexts,
  listUsersQuery,
  updateUserTexts,
  userFullInformation,
  userIdsTexts,
  userPage,
} from '../user-schema.js';
import {
  createdMachineUser,
  fullUser,
  MACHINE_PUBLIC_KEY,
  USER_GROUP_ID,
  USER_ID,
} from '../example-values.js';
import { createUserRequest, deleteUsersRequest, updateUserRequest } from '../requests/users.js';

const tag = 'users';

export const createUserOperation = apiOperation({
  ...WRITE,
  tag,
  ...createUserRequest,
  texts: createUserTexts,
  summary: 'Create a user',
  description:
    'Creates a machine user, which signs its requests with its own Ed25519 key, or a human user, who enrols a passkey. ' +
    'The answer shows the API key of a machine or the enrolment code of a human this once: whoever creates a user passes it on. ' +
    'Naming groups also needs `manage_user_groups`. Creating a user with more administrative rights than the caller has is 403. So is creating one who could sign, by the initiators of a rule, what the caller may not, unless the caller may change that signing policy. ' +
    'Answers 409 when the email is taken. Answers 422 when a group is unknown, the public key is not a canonical Ed25519 key or `expires_at` is past.',
  response: createdUser,
  hasSecret: true,
  example: {
    body: {
      type: 'machine',
      display_name: 'Market maker 1',
      description: 'Quotes SOL/USDC',
      public_key: MACHINE_PUBLIC_KEY,
      user_group_ids: [USER_GROUP_ID],
    },
    response: createdMachineUser,
  },
});

export const updateUserOperation = apiOperation({
  ...WRITE,
  tag,
  ...updateUserRequest,
  texts: updateUserTexts,
  summary: 'Update a user; rotate its API key, or reset their passkeys',
  description:
    'Changes the fields that are given and leaves the others as they are. Type and email never change. With `rotate_api_key` the old API key stops working at once, and the answer shows the new one, once. With `reset_passkeys` all passkeys of a person stop working at once, and the answer shows a new enrolment code. ' +
    'Changing groups also needs `manage_user_groups`. Changing credentials, groups, expiry or `allowed_addresses` is 403 when the user has administrative rights that the caller lacks. Changing credentials or groups is 403 also when it would give such rights. The same holds for what the user could then sign and the caller may not, by the initiators of a rule, unless the caller may change that signing policy. ' +
    'Answers 404 when there is no such user. Answers 409 when nobody would be left who can change the administrative policy or unfreeze the system: a machine user with an expiry or with `allowed_addresses` does not count. Answers 422 when a group is unknown or a human user is given a key, an expiry or `allowed_addresses`.',
  response: createdUser,
  hasSecret: true,
  example: {
    body: { rotate_api_key: true },
    response: createdMachineUser,
  },
});

export const deleteUsersOperation = apiOperation({
  ...WRITE,
  tag,
  ...deleteUsersRequest,
  texts: userIdsTexts,
  summary: 'Delete users: all of them or none',
  description:
    'Deletes every named user; their credentials stop working at once. ' +
    'It is done for all of them or for none. Answers 403 when one of them holds administrative rights that the caller does not hold. Answers 404 when one of them does not exist. Answers 409 when the caller is among them or nobody would be left who can change the administrative policy or unfreeze the system.',
  response: deletedView,
  example: { query: { user_ids: USER_ID }, response: { deleted: [USER_ID] } },
});

export const listUsersOperation = apiOperation({
  ...READ,
  tag,
  id: 'list-users',
  path: '/v1/users',
  summary: 'List users',
  description:
    'Users in the order of their creation, oldest first, page by page. Only what matches every given filter is listed.',
  query: listUsersQuery,
  response: userPage,
  example: {
    query: { is_type: 'machine', limit: '50' },
    response: { results: [fullUser], next_cursor: null },
  },
});

export const getUserOperation = apiOperation({
  ...READ,
  tag,
  id: 'get-user',
  path: '/v1/users/{user_id}',
  summary: 'Get a user',
  description: 'One user with status and credentials. Answers 404 when there is no such user.',
  response: userFullInformation,
  example: { response: fullUser },
});

export const whoamiOperation = apiOperation({
  ...READ,
  tag,
  id: 'whoami',
  path: '/v1/whoami',
  summary: 'Get the caller',
  description: 'The user to whom the presented credential belongs.',
  action: 'self',
  response: userFullInformation,
  example: { response: fullUser },
});

export const USER_OPERATIONS = [
  createUserOperation,
  updateUserOperation,
  deleteUsersOperation,
  listUsersOperation,
  getUserOperation,
  whoamiOperation,
] as const;
