import * as s from '@countersign/core/shapes.js';
import { OPERATION_CLASSES } from '@countersign/core/vocabulary.js';
import { pageOf, stampFields } from './common-schema.js';
import { CONDITION_TEXTS, SHOWN_FIELDS } from './conditions/conditions.js';
import { signingOperation } from './conditions/condition-forms.js';
import { shownSubjects, SUBJECT_TEXTS } from './conditions/subjects.js';
import { labelSelector } from './labels-schema.js';
import { adminPolicyType, memberType, statedRules } from './policy-requests.js';
import { commaSeparatedEnum, dateTime, DISPLAY_NAME_TEXT, displayName, id } from './primitives.js';
import { pageQuery } from './primitives.js';
import { describeFields, type FieldTexts, type RequestTexts } from './request-texts.js';
import { ADMIN_POLICY_TYPES } from './requests/admin-policy-types.js';
import { base64Bytes, usedPrice } from './signing-schema.js';
import { venueRequest } from './venue-schema.js';

const APPROVERS: FieldTexts = {
  quorum: 'Number of people who must approve, 1 to 100.',
  user_ids: 'Ids of users who may approve, at most 100, none twice.',
  user_group_ids: 'Ids of user groups whose members may approve, at most 100, none twice.',
  expires_in_s:
    'For how long a request waits for its approvals, seconds: 60 to 2592000 (30 days). Absent: 86400 (24 hours).',
};

const EFFECT = 'What no policy allows is denied; one that denies wins over every one that allows.';

const ADMIN_POLICY: FieldTexts = {
  display_name: DISPLAY_NAME_TEXT,
  action: 'The action that the policy allows or denies.',
  effect: EFFECT,
  subjects: ['Users and groups that the policy is about: at least one.', SUBJECT_TEXTS],
  scope: [
    'Where it holds; absent: everywhere. `manage_vaults`, `manage_wallets`, `manage_security_groups`, `manage_signing_policies`, `freeze` and `unfreeze` alone can be limited to vaults.',
    { vault_ids: 'Ids of vaults, 1 to 100, none twice. Absent: everywhere.' },
  ],
  approvals: [
    "Whose approval is needed; the requester's own never counts. Absent: nobody's. Only where `effect` is `allow`, and not for `freeze`, `view_system_resources` and `view_audit_logs`.",
    APPROVERS,
  ],
  delay_s:
    'How long a change waits once it is approved, seconds: 1 to 2592000 (30 days); whoever may freeze can cancel it meanwhile. Deleting users, removing wallets and destroying keys do not wait. Absent: not at all. Only where `effect` is `allow`, and not for `freeze`, `view_system_resources` and `view_audit_logs`.',
};

export const createAdminPolicyTexts: RequestTexts = {
  name: 'AdminPolicyRequest',
  body: ADMIN_POLICY,
};

const NOT_READ = 'Ignored, so that a caller may put back what `GET` gave.';

const GIVEN_BACK: FieldTexts = {
  version: 'The version that was read: 409 when the policy has changed since.',
  id: "The policy's own id, if given back; 422 for another.",
  created_at: NOT_READ,
  created_by: NOT_READ,
  last_updated_at: NOT_READ,
  last_updated_by: NOT_READ,
};

export const updateAdminPolicyTexts: RequestTexts = {
  name: 'UpdateAdminPolicyRequest',
  body: { ...ADMIN_POLICY, ...GIVEN_BACK },
};

const approvalsShape = s.strictObject({
  quorum: s.int().describe('Number of people who must approve.'),
  user_ids: s.array(id).describe('Ids of users who may approve; empty for none.'),
  user_group_ids: s.array(id).describe('Ids of user groups whose members may approve.'),
  expires_in_s: s.int().describe('For how long a request waits for its approvals, seconds.'),
});

const policyVersion = s.int().describe('Begins at 1 and rises by 1 with every update.');

export const adminPolicy = s
  .strictObject({
    id: id.describe('Id of the policy.'),
    display_name: s.string().describe('Name for people; not unique.'),
    action: adminPolicyType.describe('The action that the policy allows or denies.'),
    effect: s.words(['allow', 'deny']).describe(EFFECT),
    subjects: shownSubjects.describe('Users and groups that the policy is about.'),
    scope: s
      .strictObject({
        vault_ids: s.array(id).optional().describe('Ids of vaults. Absent: everywhere.'),
      })
      .describe('Vaults in which the policy holds; empty: everywhere.'),
    approvals: approvalsShape.optional().describe("Whose approval is needed. Absent: nobody's."),
    delay_s: s
      .int()
      .optional()
      .describe('How long a change waits once it is approved, seconds. Absent: not at all.'),
    version: policyVersion,
    ...stampFields,
  })
  .meta({ id: 'AdminPolicy' });

export const adminPolicyPage = pageOf('AdminPolicyPage', adminPolicy);

export const listAdminPoliciesQuery = s.strictObject({
  ...pageQuery,
  actions: commaSeparatedEnum(ADMIN_POLICY_TYPES)
    .optional()
    .describe('Comma-separated values of AdminPolicyType: policies for one of them. Absent: all.'),
});

const MEMBER = {
  member_id: '`id` of the key or wallet.',
  member_type: "Type of the member. A wallet's own key is no member: the wallet is.",
};

const SELECTOR: FieldTexts = {
  labels: 'Labels, 1 to 20, name to value: what has every one of them is selected.',
  types: 'Types that it selects: `key`, `wallet` or both. Absent: both.',
};

export const createSecurityGroupTexts: RequestTexts = {
  name: 'SecurityGroupRequest',
  body: {
    display_name:
      'Name for people, unique among security groups without regard to case: 1 to 128 characters, without control characters and without white space at either end.',
    vault_ids:
      'Ids of vaults, 1 to 100, none twice. Only wallets in these can be members. Whoever administers all of these vaults may manage the group. Absent: keys, and wallets in any vault. It stays as it is.',
    members: ['The first members, at most 100. Absent: none.', MEMBER],
    selector: [
      'Keys and wallets with these labels are members too, those made later included. Absent: none.',
      SELECTOR,
    ],
  },
};

export const updateSecurityGroupTexts: RequestTexts = {
  name: 'UpdateSecurityGroupRequest',
  body: {
    display_name:
      'New name, unique among security groups without regard to case. Absent: unchanged.',
    selector: [
      'Keys and wallets with these labels are members from now on, in the place of those selected before; null: none are. Absent: unchanged.',
      SELECTOR,
    ],
  },
};

export const putMemberTexts: RequestTexts = {
  name: 'PutMemberRequest',
  body: { member_type: 'What the member is: 422 when it is something else. Absent: not checked.' },
};

export const patchMembersTexts: RequestTexts = {
  name: 'PatchMembersRequest',
  body: {
    add: ['What becomes a member, at most 100; what is one already stays one.', MEMBER],
    remove: '`member_id`s, at most 100, none twice; 404 when one of them is no member.',
  },
};

export const memberIdsTexts: RequestTexts = {
  query: {
    member_ids: 'Comma-separated ids of members, 1 to 100; 404 when one of them is no member.',
  },
};

const member = s.strictObject({
  member_id: id.describe(MEMBER.member_id),
  member_type: memberType.describe(MEMBER.member_type),
});

export const securityGroup = s
  .strictObject({
    id: id.describe('Id of the security group.'),
    display_name: s.string().describe('Name for people; unique among security groups.'),
    vault_ids: s
      .array(id)
      .optional()
      .describe('Ids of the vaults that it is limited to. Absent: it is not limited.'),
    members: s
      .array(member)
      .describe(
        'Keys and wallets that it names. Those that it selects are listed by `GET /v1/keys` and `GET .../wallets` with `security_group_id`.',
      ),
    selector: labelSelector
      .optional()
      .describe('By which labels keys and wallets are members beside those named. Absent: none.'),
    signing_policy_ids: s
      .array(id)
      .describe('Ids of its signing policies, in the order in which they are evaluated.'),
    ...stampFields,
  })
  .meta({ id: 'SecurityGroup' });

export const securityGroupPage = pageOf('SecurityGroupPage', securityGroup);

export const listSecurityGroupsQuery = s.strictObject({
  ...pageQuery,
  signing_policy_id: id
    .optional()
    .describe('Id of a signing policy: the group that it belongs to. Absent: all.'),
});

const WHEN = 'The conditions, all of which must hold for the rule to decide.';

const RULE: FieldTexts = {
  display_name: DISPLAY_NAME_TEXT,
  enabled: 'Whether the rule is evaluated; true when absent.',
  when: [WHEN, CONDITION_TEXTS],
  then: [
    'What the rule decides. `require_approvals`: as `allow`, once the approvals are given; until then the request waits, and a caller is answered 202.',
    {
      require_approvals: [
        'Whose approvals it takes; 422 where there are not so many active users to give them. Those of whoever asks never count.',
        APPROVERS,
      ],
    },
  ],
};

const GIVEN_BACK_RULE: FieldTexts = {
  id: 'Id of a rule of this policy, which it keeps; 422 when the policy has no such rule. Absent: a new rule.',
  ...RULE,
};

const RULES =
  'In the order of evaluation, 1 to 100: the first enabled rule whose every condition holds decides. What no rule allows is denied.';

export const createSigningPolicyTexts: RequestTexts = {
  name: 'SigningPolicyRequest',
  body: {
    display_name: DISPLAY_NAME_TEXT,
    security_group_id:
      'Id of the security group whose members it decides on; it is placed behind the policies there.',
    rules: [RULES, RULE],
  },
};

export const updateSigningPolicyTexts: RequestTexts = {
  name: 'UpdateSigningPolicyRequest',
  body: {
    display_name: DISPLAY_NAME_TEXT,
    rules: [RULES, GIVEN_BACK_RULE],
    ...GIVEN_BACK,
    security_group_id:
      "The policy's own group, if given back; 422 for another: it does not change.",
    position:
      'Ignored, so that a caller may put back what `GET` gave. An operation of its own changes the order.',
  },
};

export const signingPolicyOrderTexts: RequestTexts = {
  name: 'SigningPolicyOrderRequest',
  body: {
    signing_policy_ids:
      "Ids of the group's signing policies, each of them once, in the order of evaluation.",
  },
};

const rule = s.strictObject({
  id: id.describe('Id of the rule, as receipts and audit log entries name it.'),
  display_name: s.string().describe('Name for people; not unique.'),
  enabled: s.boolean().describe('Whether the rule is evaluated.'),
  when: s.strictObject(SHOWN_FIELDS).describe(WHEN),
  then: s
    .union([
      s.words(['allow', 'deny']),
      s.strictObject({
        require_approvals: approvalsShape.describe('Number of approvals, and who may give them.'),
      }),
    ])
    .describe('Decision of the rule.'),
});

export const signingPolicy = s
  .strictObject({
    id: id.describe('Id of the policy.'),
    display_name: s.string().describe('Name for people; not unique.'),
    security_group_id: id.describe('Id of the security group whose members it decides on.'),
    position: s
      .int()
      .describe('Its place among the policies of the group, in the order of evaluation, from 1.'),
    version: policyVersion,
    rules: s.array(rule).describe('Rules in the order of evaluation.'),
    ...stampFields,
  })
  .meta({ id: 'SigningPolicy' });

export const signingPolicyVersion = signingPolicy
  .extend({
    position: s
      .int()
      .optional()
      .describe('Its place among the policies of the group now, from 1. Absent: it was deleted.'),
  })
  .meta({ id: 'SigningPolicyVersion' });

export const signingPolicyPage = pageOf('SigningPolicyPage', signingPolicy);

export const listSigningPoliciesQuery = s.strictObject({
  ...pageQuery,
  security_group_id: id.optional().describe('Id of a security group: its policies. Absent: all.'),
});

export const momentInput = s.moment().transform((text) => Date.parse(text));

export const draftRules = describeFields(statedRules, GIVEN_BACK_RULE).describe(RULES);

export const draftPolicies = s
  .array(
    s.strictObject({
      display_name: displayName.optional().describe('Name for people; ignored.'),
      rules: draftRules,
    }),
  )
  .min(1)
  .max(100)
  .describe('Policies in the order of evaluation, 1 to 100.');

export const evaluateBody = s
  .strictObject({
    user_id: id.optional().describe('Id of the user who would ask; the caller when absent.'),
    operation: signingOperation.describe(
      'What would be asked for. `sign`: a transaction of the wallet or a venue request of the key; `raw_sign`: bytes as they are.',
    ),
    key_id: id
      .optional()
      .describe('Id of the key that would sign. Either this, or `vault_id` and `address`.'),
    vault_id: id
      .optional()
      .describe('Id of the vault of the wallet that would sign; together with `address`.'),
    address: s
      .string()
      .max(128)
      .optional()
      .describe('Address of the wallet that would sign; together with `vault_id`.'),
    network_id: s
      .string()
      .max(64)
      .optional()
      .describe(
        "One of the wallet's `networks`: required for `sign` with a wallet, 422 with anything else.",
      ),
    venue_request: venueRequest
      .optional()
      .describe(
        'What would be sent to the venue: required for `sign` with a key, 422 with anything else.',
      ),
    transaction: base64Bytes
      .optional()
      .describe(
        'The transaction, as for `sign`: standard base64; 422 with anything but `sign` with a wallet. Absent: rules on what it moves cannot be evaluated.',
      ),
    message: base64Bytes
      .optional()
      .describe(
        'The bytes of a raw signature: standard base64; 422 with `sign`. No rule looks at them: they are told by their hash alone.',
      ),
    received_at: momentInput
      .optional()
      .describe(
        'When the gateway would receive the request, for rules about times: RFC 3339 with offset. Absent: now.',
      ),
    rules: draftRules.optional().describe('As `policies` with one policy that has these rules.'),
    policies: draftPolicies
      .optional()
      .describe(
        'A draft, evaluated in the place of what is in force for the key or wallet; 422 as if it were written. Absent, and without `rules`: what is in force.',
      ),
    security_group_id: id
      .optional()
      .describe(
        "Id of the security group whose policies the draft replaces. It has the key or wallet as a member. Other groups' policies are evaluated as they are. Absent: the draft stands for all of them.",
      ),
  })
  .refine(({ rules, policies }) => rules === undefined || policies === undefined, {
    path: ['rules'],
    message: 'state either rules or policies',
  })
  .refine(
    (body) =>
      body.key_id !== undefined
        ? body.vault_id === undefined && body.address === undefined
        : body.vault_id !== undefined && body.address !== undefined,
    'name either key_id, or vault_id and address',
  )
  .meta({ id: 'EvaluateRequest' });

/** Also used for a request for a signature that waits for approvals. */
export const evaluatedFacts = s.strictObject({
  operation: signingOperation.describe('The operation that is asked for.'),
  user_id: id.describe('Id of the user who asks.'),
  received_at: dateTime.describe('When the gateway received it; RFC 3339, UTC, milliseconds.'),
  network_id: s.string().optional().describe('Network of a transaction. Absent: it is none.'),
  venue_id: s.string().optional().describe('Venue of the key. Absent: it is for none.'),
  operation_class: s
    .words(OPERATION_CLASSES)
    .optional()
    .describe('What a venue request does at the venue. Absent: it is none.'),
  unknown_because: s
    .string()
    .optional()
    .describe(
      'What of a venue request of class `unknown` made it so: the endpoint or the parameter, for people. Absent: it is of another class, or none.',
    ),
  endpoint: s
    .string()
    .optional()
    .describe(
      "`METHOD /path` of the venue's table. Absent: no venue request, or not in the table.",
    ),
  symbols: s.array(s.string()).optional().describe('Of a venue request: as the venue writes them.'),
  sides: s
    .array(s.words(['buy', 'sell']))
    .optional()
    .describe('Present for a venue request.'),
  amounts: s
    .array(s.string())
    .optional()
    .describe('Of a venue request: in units of the traded or moved asset, decimal strings.'),
  quote_amounts: s
    .array(s.string())
    .optional()
    .describe('Of a venue request: in units of what the market is quoted in, decimal strings.'),
  contracts: s
    .array(s.string())
    .optional()
    .describe('Of a venue request: numbers of contracts, decimal strings.'),
  assets: s
    .array(s.string())
    .optional()
    .describe('Of a transaction: names of what it moves, as a rule may state them.'),
  destinations: s
    .array(s.string())
    .optional()
    .describe('Where assets go, as a rule may state it. Absent: nowhere, or it cannot be read.'),
  usd_value: s
    .strictObject({
      value: s
        .string()
        .optional()
        .describe('Decimal string. Absent: it has none that a rule could compare.'),
      reason: s
        .string()
        .optional()
        .describe('Why it has none: a rule that asks for it denies. Absent: it has one.'),
      prices: s.array(usedPrice).describe('The prices that it was computed of.'),
    })
    .optional()
    .describe(
      'What it is worth in US dollars. Absent: it orders and moves nothing, or USD value conditions are disabled.',
    ),
  undecidable: s
    .array(s.string())
    .describe(
      'Conditions on which this request cannot be decided: a rule that gets to one of them denies it.',
    ),
  message_sha256: s
    .string()
    .optional()
    .describe('SHA-256 of the bytes of a raw signature, hex. Absent: none were given.'),
});

/** The possible decisions of signing policies. */
export const signingOutcome = s.words(['allow', 'deny', 'require_approvals']);

export const decidingRule = s.strictObject({
  id: id.describe('Id of the signing policy.'),
  version: s.int().describe('Version of the policy.'),
  rule_id: id.describe('Id of its rule.'),
});

export const evaluation = s
  .strictObject({
    outcome: signingOutcome.describe(
      'What would be decided now; a freeze of user, key or anything around it denies. `require_approvals`: it would wait for them.',
    ),
    reason: s.string().describe('The reason, for people.'),
    policy: decidingRule
      .nullable()
      .describe('The rule that the signing policies decide by; null when none does.'),
    facts: evaluatedFacts.describe('What was read of the request, as far as rules look at it.'),
    trace: s
      .array(
        s.strictObject({
          policy_id: id.describe('Id of the signing policy.'),
          rule_id: id.describe('Id of its rule.'),
          result: s
            .words(['disabled', 'matched', 'not_matched', 'error'])
            .describe('`error`: it cannot be evaluated, which denies the whole request.'),
          failed_condition: s
            .string()
            .optional()
            .describe(
              'Name of the first condition that does not hold or cannot be evaluated. Absent: all hold, or the rule is disabled.',
            ),
        }),
      )
      .describe(
        'The rules that were looked at, in order: in each security group up to the one that decides there.',
      ),
  })
  .meta({ id: 'Evaluation' });
