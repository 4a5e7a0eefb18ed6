/** What requests say of policies and security groups: the fold judges changes by these shapes. */
import * as s from '@countersign/core/shapes.js';
import { ADMIN_POLICY_TYPES } from './requests/admin-policy-types.js';
import { CONDITIONS, STATED_FIELDS } from './conditions/conditions.js';
import { keptConditions } from './conditions/stated-conditions.js';
import { labelSelectorBody } from './labels-schema.js';
import { commaSeparatedIds, displayName, id } from './primitives.js';
import { idList } from './primitives.js';
import { statedSubjects } from './conditions/subjects.js';
import { MEMBER_TYPES } from '@countersign/core/vocabulary.js';

export const adminPolicyType = s.words(ADMIN_POLICY_TYPES).meta({
  id: 'AdminPolicyType',
  description: 'What an administrative policy allows or denies.',
});

const MAX_WAIT_S = 30 * 24 * 3_600;

const quorum = s.int().min(1).max(100).describe('How many must approve, 1 to 100.');

const approverFields = {
  quorum,
  user_ids: idList().optional().describe('Ids of users who may approve, at most 100, none twice.'),
  user_group_ids: idList()
    .optional()
    .describe('Ids of user groups whose members may approve, at most 100, none twice.'),
  expires_in_s: s
    .int()
    .min(60)
    .max(MAX_WAIT_S)
    .optional()
    .describe(
      'For how long a request waits for its approvals, seconds: 60 to 2592000 (30 days). Absent: 86400 (24 hours).',
    ),
};

const namesApprovers = (body: {
  user_ids?: readonly string[] | undefined;
  user_group_ids?: readonly string[] | undefined;
}) => (body.user_ids?.length ?? 0) + (body.user_group_ids?.length ?? 0) > 0;

/** Nobody's approval is never approval: at least one user or group, and a quorum of at least 1. */
const approvals = s
  .strictObject(approverFields)
  .refine(namesApprovers, 'must name at least one user or group');

const delayS = s.int().min(1).max(MAX_WAIT_S);

export const policyEffect = s
  .words(['allow', 'deny'])
  .describe('What no policy allows is denied; one that denies wins over every one that allows.');

export const createAdminPolicyBody = s
  .strictObject({
    display_name: displayName,
    action: adminPolicyType.describe('What the subjects may do, or may not.'),
    effect: policyEffect,
    subjects: statedSubjects.describe('Whom it is about: at least one user or user group.'),
    scope: s
      .strictObject({
        vault_ids: idList()
          .min(1)
          .optional()
          .describe('Ids of vaults, 1 to 100, none twice. Absent: everywhere.'),
      })
      .optional()
      .describe(
        'Where it holds; absent: everywhere. `manage_vaults`, `manage_wallets`, `manage_security_groups`, `manage_signing_policies`, `freeze` and `unfreeze` alone can be limited to vaults.',
      ),
    approvals: approvals
      .optional()
      .describe(
        "Whose approval is needed; the requester's own never counts. Absent: nobody's. Only where `effect` is `allow`, and not for `freeze`, `view_system_resources` and `view_audit_logs`.",
      ),
    delay_s: delayS
      .optional()
      .describe(
        'How long a change waits once it is approved, seconds: 1 to 2592000 (30 days); whoever may freeze can cancel it meanwhile. Deleting users, removing wallets and destroying keys do not wait. Absent: not at all. Only where `effect` is `allow`, and not for `freeze`, `view_system_resources` and `view_audit_logs`.',
      ),
  })
  .meta({ id: 'AdminPolicyRequest' });

const policyVersionRead = s
  .int()
  .min(1)
  .describe('The version that was read: 409 when the policy has changed since.');

const NOT_READ = 'May be given back, and is not read.';

/** What `GET` gives of any policy beside what an update sets, so that its answer may be edited and put back. */
const givenBackFields = {
  id: id.optional().describe("The policy's own id, if given back; 422 for another."),
  created_at: s.string().optional().describe(NOT_READ),
  created_by: s.string().optional().describe(NOT_READ),
  last_updated_at: s.string().optional().describe(NOT_READ),
  last_updated_by: s.string().optional().describe(NOT_READ),
};

export const updateAdminPolicyBody = createAdminPolicyBody
  .extend({ version: policyVersionRead, ...givenBackFields })
  .meta({ id: 'UpdateAdminPolicyRequest' });

const memberType = s.words(MEMBER_TYPES);

export const member = s.strictObject({
  member_id: id.describe('`id` of the key or wallet.'),
  member_type: memberType.describe("What it is. A wallet's own key is no member: the wallet is."),
});

const securityGroupName = displayName.describe(
  'Name for people, unique among security groups without regard to case: 1 to 128 characters, without control characters and without white space at either end.',
);

export const createSecurityGroupBody = s
  .strictObject({
    display_name: securityGroupName,
    vault_ids: idList()
      .min(1)
      .optional()
      .describe(
        'Ids of vaults, 1 to 100, none twice: only wallets in these can be members, and whoever administers all of these vaults may manage the group. Absent: keys, and wallets in any vault. It stays as it is.',
      ),
    members: s
      .array(member)
      .max(100)
      .optional()
      .describe('The first members, at most 100. Absent: none.'),
    selector: labelSelectorBody
      .optional()
      .describe(
        'Keys and wallets with these labels are members too, those made later included. Absent: none.',
      ),
  })
  .meta({ id: 'SecurityGroupRequest' });

export const updateSecurityGroupBody = s
  .strictObject({
    display_name: securityGroupName
      .optional()
      .describe(
        'New name, unique among security groups without regard to case. Absent: unchanged.',
      ),
    selector: labelSelectorBody
      .nullable()
      .optional()
      .describe(
        'Keys and wallets with these labels are members from now on, in the place of those selected before; null: none are. Absent: unchanged.',
      ),
  })
  .refine((body) => Object.keys(body).length > 0, 'must change something')
  .meta({ id: 'UpdateSecurityGroupRequest' });

/** The member's type may be stated; it is checked, never guessed. */
export const putMemberBody = s
  .strictObject({
    member_type: memberType
      .optional()
      .describe('What the member is: 422 when it is something else. Absent: not checked.'),
  })
  .meta({ id: 'PutMemberRequest' });

export const patchMembersBody = s
  .strictObject({
    add: s
      .array(member)
      .max(100)
      .optional()
      .describe('What becomes a member, at most 100; what is one already stays one.'),
    remove: idList()
      .optional()
      .describe('`member_id`s, at most 100, none twice; 404 when one of them is no member.'),
  })
  .refine(
    (body) => (body.add?.length ?? 0) + (body.remove?.length ?? 0) > 0,
    'must add or remove something',
  )
  .meta({ id: 'PatchMembersRequest' });

export const memberIdsQuery = s.strictObject({
  member_ids: commaSeparatedIds.describe(
    'Comma-separated ids of members, 1 to 100; 404 when one of them is no member.',
  ),
});

const conditionsBody = s.strictObject(STATED_FIELDS);

export const WHEN = 'The conditions, all of which must hold for the rule to decide.';

const ruleFields = {
  display_name: displayName,
  enabled: s.boolean().optional().describe('Whether the rule is evaluated; true when absent.'),
  when: conditionsBody.describe(WHEN),
  then: s
    .union([
      s.words(['allow', 'deny']),
      s.strictObject({
        require_approvals: approvals.describe(
          'Whose approvals it takes; 422 where there are not so many active users to give them. Those of whoever asks never count.',
        ),
      }),
    ])
    .describe(
      'What the rule decides. `require_approvals`: as `allow`, once the approvals are given; until then the request waits, and a caller is answered 202.',
    ),
};

/** The first condition that does not go with the rest of the rule. */
function findConditionFault({
  when,
  then,
}: {
  readonly when: s.OutputOf<typeof conditionsBody>;
  readonly then: unknown;
}): s.Fault | undefined {
  const rule = { when: keptConditions(when), then };
  for (const { name, field, findFault } of CONDITIONS) {
    const message = findFault?.(rule.when[field as keyof typeof rule.when], rule);
    if (message !== undefined) return { path: ['when', name], message };
  }
  return undefined;
}

const ruleBody = s.strictObject(ruleFields).check(findConditionFault);

export const givenBackRuleBody = s
  .strictObject({
    id: id
      .optional()
      .describe(
        'Id of a rule of this policy, which it keeps; 422 when the policy has no such rule. Absent: a new rule.',
      ),
    ...ruleFields,
  })
  .check(findConditionFault);

/** A rule as a request states it; `id` where it may say which rule it is. */
export type RuleBody = s.OutputOf<typeof givenBackRuleBody>;

export const rulesOf = <Item extends s.AnyShape>(item: Item) =>
  s
    .array(item)
    .min(1)
    .max(100)
    .describe(
      'In the order of evaluation, 1 to 100: the first enabled rule whose every condition holds decides. What no rule allows is denied.',
    );

export const createSigningPolicyBody = s
  .strictObject({
    display_name: displayName,
    security_group_id: id.describe(
      'Id of the security group whose members it decides on; it is placed behind the policies there.',
    ),
    rules: rulesOf(ruleBody),
  })
  .meta({ id: 'SigningPolicyRequest' });

export const updateSigningPolicyBody = s
  .strictObject({
    display_name: displayName,
    rules: rulesOf(givenBackRuleBody),
    version: policyVersionRead,
    ...givenBackFields,
    security_group_id: id
      .optional()
      .describe("The policy's own group, if given back; 422 for another: it does not change."),
    position: s
      .int()
      .optional()
      .describe('May be given back, and is not read: the order has an operation of its own.'),
  })
  .meta({ id: 'UpdateSigningPolicyRequest' });

export const signingPolicyOrderBody = s
  .strictObject({
    signing_policy_ids: idList().describe(
      "Ids of the group's signing policies, each of them once, in the order of evaluation.",
    ),
  })
  .meta({ id: 'SigningPolicyOrderRequest' });
