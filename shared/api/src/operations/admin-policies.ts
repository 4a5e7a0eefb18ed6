import { deletedView } from '../common-schema.js';
import { apiOperation, READ, WRITE } from '../operation.js';
import {
  adminPolicy,
  adminPolicyPage,
  listAdminPoliciesQuery,
  createAdminPolicyTexts,
  updateAdminPolicyTexts,
} from '../policy-schema.js';
import { ADMIN_POLICY_ID, adminPolicy as policyExample, USER_GROUP_ID } from '../example-values.js';
import {
  createAdminPolicyRequest,
  deleteAdminPolicyRequest,
  updateAdminPolicyRequest,
} from '../policy-requests.js';

const tag = 'admin-policies';

const bodyExample = {
  display_name: 'Traders may see everything',
  action: 'view_system_resources' as const,
  effect: 'allow' as const,
  subjects: { user_group_ids: [USER_GROUP_ID] },
};

export const createAdminPolicyOperation = apiOperation({
  ...WRITE,
  tag,
  ...createAdminPolicyRequest,
  texts: createAdminPolicyTexts,
  summary: 'Create an administrative policy',
  description:
    'Allows or denies one action to users and groups, everywhere or in the named vaults. What no policy allows is denied, and a policy that denies wins over every one that allows. A policy holds from the next request on. ' +
    'A policy that allows may ask for approvals and for a delay. What it allows then waits, and is answered with 202. Where several policies allow the same to somebody, everything that any of them asks for is needed. ' +
    'Answers 409 when nobody would be left who can change the administrative policy or unfreeze the system. Answers 409 when none of the subjects could ever have so many approvals from others. Answers 422 when a user, group or vault is unknown, or the action cannot be scoped to vaults. Answers 422 when a policy that denies asks for approvals or a delay. Freezing, viewing and audit logs never wait: there, too, approvals and a delay are 422.',
  response: adminPolicy,
  example: { body: bodyExample, response: policyExample },
});

export const updateAdminPolicyOperation = apiOperation({
  ...WRITE,
  tag,
  ...updateAdminPolicyRequest,
  texts: updateAdminPolicyTexts,
  summary: 'Replace an administrative policy',
  description:
    'Replaces the whole policy: what the body leaves out is gone. A caller may edit what `GET` gave and put it back. `version` is the version that the caller has read. ' +
    'Answers 404 when there is no such policy. Answers 409 when it is at another version or nobody would be left who can change the administrative policy or unfreeze the system. Answers 422 when the `id` is another policy’s, and where creating it would.',
  response: adminPolicy,
  example: { body: { ...bodyExample, version: 1 }, response: { ...policyExample, version: 2 } },
});

export const deleteAdminPolicyOperation = apiOperation({
  ...WRITE,
  tag,
  ...deleteAdminPolicyRequest,
  summary: 'Delete an administrative policy',
  description:
    'From the next request on, what it allowed is denied unless another policy allows it. What it denied may be allowed again. ' +
    'Answers 404 when there is no such policy. Answers 409 when nobody would be left who can change the administrative policy or unfreeze the system.',
  response: deletedView,
  example: { response: { deleted: [ADMIN_POLICY_ID] } },
});

export const listAdminPoliciesOperation = apiOperation({
  ...READ,
  tag,
  id: 'list-admin-policies',
  path: '/v1/admin-policies',
  summary: 'List administrative policies',
  description:
    'Administrative policies in the order of their creation, oldest first, page by page. Their order does not matter for what they allow.',
  query: listAdminPoliciesQuery,
  response: adminPolicyPage,
  example: {
    query: { actions: 'view_system_resources,view_audit_logs' },
    response: { results: [policyExample], next_cursor: null },
  },
});

export const getAdminPolicyOperation = apiOperation({
  ...READ,
  tag,
  id: 'get-admin-policy',
  path: '/v1/admin-policies/{policy_id}',
  summary: 'Get an administrative policy',
  description: 'One administrative policy as it is now. Answers 404 when there is no such policy.',
  response: adminPolicy,
  example: { response: policyExample },
});

export const getAdminPolicyVersionOperation = apiOperation({
  ...READ,
  tag,
  id: 'get-admin-policy-version',
  path: '/v1/admin-policies/{policy_id}/versions/{version}',
  summary: 'Get an administrative policy as it was at a version',
  description:
    'The administrative policy as it was at that version. Audit log entries name such versions, of deleted policies too. Answers 404 when there is no such policy or it never had that version.',
  response: adminPolicy,
  example: { response: policyExample },
});

export const ADMIN_POLICY_OPERATIONS = [
  createAdminPolicyOperation,
  updateAdminPolicyOperation,
  deleteAdminPolicyOperation,
  listAdminPoliciesOperation,
  getAdminPolicyOperation,
  getAdminPolicyVersionOperation,
] as const;
