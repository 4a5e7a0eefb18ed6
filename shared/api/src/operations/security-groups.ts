import { deletedView } from '../common-schema.js';
import { apiOperation, READ, WRITE } from '../operation.js';
import {
  listSecurityGroupsQuery,
  securityGroup,
  securityGroupPage,
  createSecurityGroupTexts,
  updateSecurityGroupTexts,
  putMemberTexts,
  patchMembersTexts,
  memberIdsTexts,
} from '../policy-schema.js';
import {
  KEY_ID,
  SECURITY_GROUP_ID,
  securityGroup as groupExample,
  SIGNING_POLICY_ID,
} from '../example-values.js';
import {
  createSecurityGroupRequest,
  deleteSecurityGroupMembersRequest,
  deleteSecurityGroupRequest,
  patchSecurityGroupMembersRequest,
  putSecurityGroupMemberRequest,
  updateSecurityGroupRequest,
} from '../policy-requests.js';

const tag = 'security-groups';

const REFUSED_MEMBERS = [
  'is unknown or of another type',
  'lies outside the vaults of the group',
  'is the key of a wallet (add the wallet)',
  'is at a venue whose signatures cannot bind a condition of the rules of the group',
]
  .map((fault) => `\n- ${fault}`)
  .join('');

export const createSecurityGroupOperation = apiOperation({
  ...WRITE,
  tag,
  ...createSecurityGroupRequest,
  texts: createSecurityGroupTexts,
  summary: 'Create a security group',
  description:
    'A security group joins keys and wallets to signing policies: the policies of a group decide for its members. A group of named vaults takes only wallets of these vaults, and no keys without a wallet. With a `selector` every key and wallet that has its labels is a member, later ones included. Whoever may make keys or wallets then puts them under the rules of the group by their labels. They cannot give themselves a right to sign that way. ' +
    `Answers 409 when another group has the name. Answers 422 when a vault is unknown, and when a member\n${REFUSED_MEMBERS}`,
  response: securityGroup,
  example: {
    body: { display_name: 'Desk one', members: [{ member_id: KEY_ID, member_type: 'key' }] },
    response: { ...groupExample, signing_policy_ids: [] },
  },
});

export const updateSecurityGroupOperation = apiOperation({
  ...WRITE,
  tag,
  ...updateSecurityGroupRequest,
  texts: updateSecurityGroupTexts,
  summary: 'Update a security group',
  description:
    'Changes name and selector; vaults, named members and policies stay. Answers 404 when there is no such group. Answers 409 when another group has the name. Answers 422 when the selector selects a key at a venue that cannot hold a condition of the rules of the group.',
  response: securityGroup,
  example: { body: { display_name: 'Desk one' }, response: groupExample },
});

export const deleteSecurityGroupOperation = apiOperation({
  ...WRITE,
  tag,
  ...deleteSecurityGroupRequest,
  summary: 'Delete a security group that has no signing policy',
  description:
    'Deletes the group; its members stay, and sign only what another group of theirs allows. Answers 404 when there is no such group. Answers 409 while it has signing policies, and names up to ten of them.',
  response: deletedView,
  example: { response: { deleted: [SECURITY_GROUP_ID] } },
});

export const putSecurityGroupMemberOperation = apiOperation({
  ...WRITE,
  tag,
  ...putSecurityGroupMemberRequest,
  texts: putMemberTexts,
  summary: 'Add a key or wallet to a security group',
  description:
    'Adds one member; adding a member again changes nothing. A `member_type` that is given is checked. ' +
    `Answers 404 when the group or the member does not exist. Answers 422 when a member\n${REFUSED_MEMBERS}`,
  response: securityGroup,
  example: { body: { member_type: 'key' }, response: groupExample },
});

export const patchSecurityGroupMembersOperation = apiOperation({
  ...WRITE,
  tag,
  ...patchSecurityGroupMembersRequest,
  texts: patchMembersTexts,
  summary: 'Add and remove members of a security group',
  description:
    'Removes, then adds, in one step: nobody sees the group in between. ' +
    `It is done for all of them or for none. Answers 404 when the group does not exist or one of those to be removed is no member. Answers 422 when a member\n${REFUSED_MEMBERS}`,
  response: securityGroup,
  example: {
    body: { add: [{ member_id: KEY_ID, member_type: 'key' }] },
    response: groupExample,
  },
});

export const deleteSecurityGroupMembersOperation = apiOperation({
  ...WRITE,
  tag,
  ...deleteSecurityGroupMembersRequest,
  texts: memberIdsTexts,
  summary: 'Remove members of a security group',
  description:
    'Removes the named members, all of them or none; the keys and wallets themselves stay. Answers 404 when the group does not exist or one of them is no member.',
  response: securityGroup,
  example: { query: { member_ids: KEY_ID }, response: { ...groupExample, members: [] } },
});

export const listSecurityGroupsOperation = apiOperation({
  ...READ,
  tag,
  id: 'list-security-groups',
  path: '/v1/security-groups',
  summary: 'List security groups',
  description: 'Security groups in the order of their creation, oldest first, page by page.',
  query: listSecurityGroupsQuery,
  response: securityGroupPage,
  example: {
    query: { signing_policy_id: SIGNING_POLICY_ID },
    response: { results: [groupExample], next_cursor: null },
  },
});

export const getSecurityGroupOperation = apiOperation({
  ...READ,
  tag,
  id: 'get-security-group',
  path: '/v1/security-groups/{group_id}',
  summary: 'Get a security group',
  description:
    'One security group with its members and its signing policies in the order in which they are evaluated. Answers 404 when there is no such group.',
  response: securityGroup,
  example: { response: groupExample },
});

export const SECURITY_GROUP_OPERATIONS = [
  createSecurityGroupOperation,
  updateSecurityGroupOperation,
  deleteSecurityGroupOperation,
  putSecurityGroupMemberOperation,
  patchSecurityGroupMembersOperation,
  deleteSecurityGroupMembersOperation,
  listSecurityGroupsOperation,
  getSecurityGroupOperation,
] as const;
