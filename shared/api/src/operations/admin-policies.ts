import { deletedView } from '../common-schema.js';
import { apiOperation, READ, WRITE } from '../operation.js';
import {
  adminPolicy,
  adminPolicyPage,
  listAdminPoliciesQuery,
  createAdminPolicyTexts,
  updateAdminPolicyTexts,
} from '../policy-schema.js';
import { ADMIN_POLICY_ID, adminPolicy as policyExample, USER_GROUP_ID } from './example-values.js';
import { adminPolicyId, policyVersionNumber } from './path-parameters.js';
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
    'Allows or denies one action to users and groups, everywhere or in the named vaults. What no policy allows is denied, and a policy that denies wins over every one that allows. It holds from the next request on. ' +
    'A policy that allows may ask for approvals and for a delay: what it allows then waits, and is answered with 202. Where several policies allow the same to somebody, what any of them asks for is needed. ' +
    'Refused with 409 when nobody would be left who can change the administrative policy, or when none of the subjects could ever have so many approvals from others, and with 422 when a user, group or vault is unknown, the action cannot be scoped to vaults, or approvals or a delay are asked for by a policy that denies, or for what never waits: freezing, viewing, audit logs.',
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
    'Replaces all that the policy says; what is left out is gone. What `GET` gave may be edited and put back. `version` is the version that the caller has read. ' +
    'Refused with 404 when there is no such policy, with 409 when it is at another version or nobody would be left who can change the administrative policy, and with 422 when the `id` is another policy’s, and as on creation.',
  params: { policy_id: adminPolicyId },
  response: adminPolicy,
  example: { body: { ...bodyExample, version: 1 }, response: { ...policyExample, version: 2 } },
});

export const deleteAdminPolicyOperation = apiOperation({
  ...WRITE,
  tag,
  ...deleteAdminPolicyRequest,
  summary: 'Delete an administrative policy',
  description:
    'What it allowed is denied from the next request on, unless another policy allows it; what it denied may be allowed again. ' +
    'Refused with 404 when there is no such policy, and with 409 when nobody would be left who can change the administrative policy.',
  params: { policy_id: adminPolicyId },
  response: deletedView,
  example: { response: { deleted: [ADMIN_POLICY_ID] } },
});

export const listAdminPoliciesOperation = apiOperation({
  ...READ,
  tag,
  id: 'list-admin-policies',
  method: 'GET',
  path: '/v1/admin-policies',
  summary: 'List administrative policies',
  description:
    'Administrative policies in the order of their creation, oldest first, page by page; their order does not matter for what they allow.',
  action: 'view_system_resources',
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
  method: 'GET',
  path: '/v1/admin-policies/{policy_id}',
  summary: 'Get an administrative policy',
  description:
    'One administrative policy as it is now. Refused with 404 when there is no such policy.',
  action: 'view_system_resources',
  params: { policy_id: adminPolicyId },
  response: adminPolicy,
  example: { response: policyExample },
});

export const getAdminPolicyVersionOperation = apiOperation({
  ...READ,
  tag,
  id: 'get-admin-policy-version',
  method: 'GET',
  path: '/v1/admin-policies/{policy_id}/versions/{version}',
  summary: 'Get an administrative policy as it was at a version',
  description:
    'The administrative policy as it stood at that version: what audit log entries name, also of a policy that was deleted since. Refused with 404 when there is no such policy or it never had that version.',
  action: 'view_system_resources',
  params: { policy_id: adminPolicyId, version: policyVersionNumber },
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
