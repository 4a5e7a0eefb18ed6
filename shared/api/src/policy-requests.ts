/**
 * Requests about policies and the groups that they decide on. Each condition's file has its own texts; the others are
 * in `policy-schema.ts`.
 */
import { MEMBER_TYPES } from '@countersign/core/vocabulary.js';
import * as s from '@countersign/core/shapes.js';
import {
  CONDITION_FORMS,
  keptConditions,
  STATED_FIELDS,
  statedSubjects,
} from './conditions/condition-forms.js';
import { ADMIN_POLICY_TYPES } from './requests/admin-policy-types.js';
import { apiRequest, resourceRequests } from './requests/api-request.js';
import { labelSelector } from './requests/labels.js';
import {
  changesSomething,
  commaSeparatedIds,
  displayName,
  id,
  idList,
} from './requests/primitives.js';

export const adminPolicyType = s.words(ADMIN_POLICY_TYPES).meta({
  id: 'AdminPolicyType',
  description: 'What an administrative policy allows or denies.',
});

const MAX_WAIT_S = 30 * 24 * 3_600;

/** Approval by nobody is none: at least one user or group, and a quorum of at least 1. */
const approvals = s
  .strictObject({
    quorum: s.int().min(1).max(100),
    user_ids: idList().optional(),
    user_group_ids: idList().optional(),
    expires_in_s: s.int().min(60).max(MAX_WAIT_S).optional(),
  })
  .refine(
    (body) => (body.user_ids?.length ?? 0) + (body.user_group_ids?.length ?? 0) > 0,
    'must name at least one user or group',
  );

const adminPolicyFields = {
  display_name: displayName,
  action: adminPolicyType,
  effect: s.words(['allow', 'deny']),
  subjects: statedSubjects,
  scope: s.strictObject({ vault_ids: idList().min(1).optional() }).optional(),
  approvals: approvals.optional(),
  delay_s: s.int().min(1).max(MAX_WAIT_S).optional(),
};

const versionRead = s.int().min(1);

/** Fields of `GET` that an update does not set: they are accepted, so that the answer may be edited and put back. */
const givenBackFields = {
  id: id.optional(),
  created_at: s.string().optional(),
  created_by: s.string().optional(),
  last_updated_at: s.string().optional(),
  last_updated_by: s.string().optional(),
};

export const [createAdminPolicyRequest, updateAdminPolicyRequest, deleteAdminPolicyRequest] =
  resourceRequests('admin-policy', '/v1/admin-policies/{policy_id}', 'manage_admin_policies', {
    create: s.strictObject(adminPolicyFields),
    update: s.strictObject({ ...adminPolicyFields, version: versionRead, ...givenBackFields }),
  });

export const memberType = s.words(MEMBER_TYPES);
const members = s.array(s.strictObject({ member_id: id, member_type: memberType })).max(100);

export const [createSecurityGroupRequest, updateSecurityGroupRequest, deleteSecurityGroupRequest] =
  resourceRequests('security-group', '/v1/security-groups/{group_id}', 'manage_security_groups', {
    create: s.strictObject({
      display_name: displayName,
      vault_ids: idList().min(1).optional(),
      members: members.optional(),
      selector: labelSelector.optional(),
    }),
    update: s
      .strictObject({
        display_name: displayName.optional(),
        selector: labelSelector.nullable().optional(),
      })
      .refine(...changesSomething),
  });

export const putSecurityGroupMemberRequest = apiRequest(
  'put-security-group-member',
  'PUT /v1/security-groups/{group_id}/members/{member_id}',
  'manage_security_groups',
  {
    // checked, never guessed
    body: s.strictObject({ member_type: memberType.optional() }),
    bodyOptional: true,
  },
);

export const patchSecurityGroupMembersRequest = apiRequest(
  'patch-security-group-members',
  'PATCH /v1/security-groups/{group_id}/members',
  'manage_security_groups',
  {
    body: s
      .strictObject({ add: members.optional(), remove: idList().optional() })
      .refine(
        (body) => (body.add?.length ?? 0) + (body.remove?.length ?? 0) > 0,
        'must add or remove something',
      ),
  },
);

export const deleteSecurityGroupMembersRequest = apiRequest(
  'delete-security-group-members',
  'DELETE /v1/security-groups/{group_id}/members',
  'manage_security_groups',
  { query: s.strictObject({ member_ids: commaSeparatedIds }) },
);

const conditions = s.strictObject(STATED_FIELDS);

const ruleFields = {
  display_name: displayName,
  enabled: s.boolean().optional(),
  when: conditions,
  then: s.union([s.words(['allow', 'deny']), s.strictObject({ require_approvals: approvals })]),
};

/** The fault of the first condition that does not fit the rest of the rule. */
function findConditionFault({
  when,
  then,
}: {
  readonly when: s.OutputOf<typeof conditions>;
  readonly then: unknown;
}): s.Fault | undefined {
  const rule = { when: keptConditions(when), then };
  for (const { name, field, findFault } of CONDITION_FORMS) {
    const message = findFault?.(rule.when[field as keyof typeof rule.when], rule);
    if (message !== undefined) return { path: ['when', name], message };
  }
  return undefined;
}

const newRules = s.array(s.strictObject(ruleFields).check(findConditionFault)).min(1).max(100);

const givenBackRule = s
  .strictObject({ id: id.optional(), ...ruleFields })
  .check(findConditionFault);

/** A rule as a request states it; `id` if it may name an existing rule. */
export type RuleBody = s.OutputOf<typeof givenBackRule>;

export const statedRules = s.array(givenBackRule).min(1).max(100);

export const [createSigningPolicyRequest, updateSigningPolicyRequest, deleteSigningPolicyRequest] =
  resourceRequests(
    'signing-policy',
    '/v1/signing-policies/{policy_id}',
    'manage_signing_policies',
    {
      create: s.strictObject({ display_name: displayName, security_group_id: id, rules: newRules }),
      update: s.strictObject({
        display_name: displayName,
        rules: statedRules,
        version: versionRead,
        ...givenBackFields,
        security_group_id: id.optional(),
        position: s.int().optional(),
      }),
    },
  );

export const orderSigningPoliciesRequest = apiRequest(
  'order-signing-policies',
  'PUT /v1/security-groups/{group_id}/signing-policy-order',
  'manage_signing_policies',
  { body: s.strictObject({ signing_policy_ids: idList() }) },
);
