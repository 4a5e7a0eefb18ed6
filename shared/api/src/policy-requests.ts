/** Requests about policies: as those in `requests/`, with their shapes beside them, which conditions are part of. */
import {
  createAdminPolicyBody,
  createSecurityGroupBody,
  createSigningPolicyBody,
  memberIdsQuery,
  patchMembersBody,
  putMemberBody,
  signingPolicyOrderBody,
  updateAdminPolicyBody,
  updateSecurityGroupBody,
  updateSigningPolicyBody,
} from './policy-bodies.js';
import { apiRequest } from './requests/api-request.js';

export const createAdminPolicyRequest = apiRequest({
  id: 'create-admin-policy',
  method: 'POST',
  path: '/v1/admin-policies',
  action: 'manage_admin_policies',
  body: createAdminPolicyBody,
});

export const updateAdminPolicyRequest = apiRequest({
  id: 'update-admin-policy',
  method: 'PUT',
  path: '/v1/admin-policies/{policy_id}',
  action: 'manage_admin_policies',
  body: updateAdminPolicyBody,
});

export const deleteAdminPolicyRequest = apiRequest({
  id: 'delete-admin-policy',
  method: 'DELETE',
  path: '/v1/admin-policies/{policy_id}',
  action: 'manage_admin_policies',
});

export const createSecurityGroupRequest = apiRequest({
  id: 'create-security-group',
  method: 'POST',
  path: '/v1/security-groups',
  action: 'manage_security_groups',
  body: createSecurityGroupBody,
});

export const updateSecurityGroupRequest = apiRequest({
  id: 'update-security-group',
  method: 'PUT',
  path: '/v1/security-groups/{group_id}',
  action: 'manage_security_groups',
  body: updateSecurityGroupBody,
});

export const deleteSecurityGroupRequest = apiRequest({
  id: 'delete-security-group',
  method: 'DELETE',
  path: '/v1/security-groups/{group_id}',
  action: 'manage_security_groups',
});

export const putSecurityGroupMemberRequest = apiRequest({
  id: 'put-security-group-member',
  method: 'PUT',
  path: '/v1/security-groups/{group_id}/members/{member_id}',
  action: 'manage_security_groups',
  body: putMemberBody,
  bodyOptional: true,
});

export const patchSecurityGroupMembersRequest = apiRequest({
  id: 'patch-security-group-members',
  method: 'PATCH',
  path: '/v1/security-groups/{group_id}/members',
  action: 'manage_security_groups',
  body: patchMembersBody,
});

export const deleteSecurityGroupMembersRequest = apiRequest({
  id: 'delete-security-group-members',
  method: 'DELETE',
  path: '/v1/security-groups/{group_id}/members',
  action: 'manage_security_groups',
  query: memberIdsQuery,
});

export const createSigningPolicyRequest = apiRequest({
  id: 'create-signing-policy',
  method: 'POST',
  path: '/v1/signing-policies',
  action: 'manage_signing_policies',
  body: createSigningPolicyBody,
});

export const updateSigningPolicyRequest = apiRequest({
  id: 'update-signing-policy',
  method: 'PUT',
  path: '/v1/signing-policies/{policy_id}',
  action: 'manage_signing_policies',
  body: updateSigningPolicyBody,
});

export const deleteSigningPolicyRequest = apiRequest({
  id: 'delete-signing-policy',
  method: 'DELETE',
  path: '/v1/signing-policies/{policy_id}',
  action: 'manage_signing_policies',
});

export const orderSigningPoliciesRequest = apiRequest({
  id: 'order-signing-policies',
  method: 'PUT',
  path: '/v1/security-groups/{group_id}/signing-policy-order',
  action: 'manage_signing_policies',
  body: signingPolicyOrderBody,
});
