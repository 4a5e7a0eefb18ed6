import * as s from '@countersign/core/shapes.js';
import { ADMIN_POLICY_TYPES } from './requests/admin-policy-types.js';
import { OPERATION_CLASSES } from '@countersign/venues/engine/venue.js';
import { pageOf, stampFields } from './common-schema.js';
import { CONDITIONS, SHOWN_FIELDS, STATED_FIELDS } from './conditions/conditions.js';
import { signingOperation } from './conditions/operations.js';
import { keptConditions } from './conditions/stated-conditions.js';
import { base64Bytes, usedPrice } from './signing-schema.js';
import { labelSelector, labelSelectorBody } from './labels-schema.js';
import { commaSeparatedEnum, commaSeparatedIds, dateTime, displayName, id } from './primitives.js';
import { idList, pageQuery } from './primitives.js';
import { shownSubjects, statedSubjects } from './conditions/subjects.js';
import { venueRequest } from './venue-schema.js';
import { MEMBER_TYPES } from '@countersign/core/vocabulary.js';

const adminPolicyType = s.words(ADMIN_POLICY_TYPES).meta({
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

const policyEffect = s
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

const approvalsShape = s.strictObject({
  quorum: s.int().describe('How many must approve.'),
  user_ids: s.array(id).describe('Ids of users who may approve; empty for none.'),
  user_group_ids: s.array(id).describe('Ids of user groups whose members may approve.'),
  expires_in_s: s.int().describe('For how long a request waits for its approvals, seconds.'),
});

const policyVersion = s.int().describe('Begins at 1 and rises by 1 with every update.');

export const adminPolicy = s
  .strictObject({
    id: id.describe('Id of the policy.'),
    display_name: s.string().describe('Name for people; not unique.'),
    action: adminPolicyType.describe('What the subjects may do, or may not.'),
    effect: policyEffect,
    subjects: shownSubjects.describe('Whom it is about.'),
    scope: s
      .strictObject({
        vault_ids: s.array(id).optional().describe('Ids of vaults. Absent: everywhere.'),
      })
      .describe('Where it holds; empty: everywhere.'),
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

const memberType = s.words(MEMBER_TYPES);
const member = s.strictObject({
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

const conditionsBody = s.strictObject(STATED_FIELDS);

const WHEN = 'The conditions, all of which must hold for the rule to decide.';

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

const givenBackRuleBody = s
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

const rulesOf = <Item extends s.AnyShape>(item: Item) =>
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

const rule = s.strictObject({
  id: id.describe('Id of the rule, as receipts and audit log entries name it.'),
  display_name: s.string().describe('Name for people; not unique.'),
  enabled: s.boolean().describe('Whether the rule is evaluated.'),
  when: s.strictObject(SHOWN_FIELDS).describe(WHEN),
  then: s
    .union([
      s.words(['allow', 'deny']),
      s.strictObject({ require_approvals: approvalsShape.describe('Whose approvals it takes.') }),
    ])
    .describe('What the rule decides.'),
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
    rules: s.array(rule).describe('In the order of evaluation.'),
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

export const draftRules = rulesOf(givenBackRuleBody);

export const draftPolicies = s
  .array(
    s.strictObject({
      display_name: displayName.optional().describe('Name for people; not read.'),
      rules: rulesOf(givenBackRuleBody),
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
        "Id of the security group whose policies the draft stands for, which has the key or wallet as a member; other groups' policies are evaluated as they are. Absent: the draft stands for all of them.",
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

/** Also of a request for a signature that waits for approvals. */
export const evaluatedFacts = s.strictObject({
  operation: signingOperation.describe('What is asked for.'),
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
    .describe('Of a venue request.'),
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

/** What signing policies can say to a request. */
export const signingOutcome = s.words(['allow', 'deny', 'require_approvals']);

export const decidingRule = s.strictObject({
  id: id.describe('Id of the signing policy.'),
  version: s.int().describe('Its version.'),
  rule_id: id.describe('Id of its rule.'),
});

export const evaluation = s
  .strictObject({
    outcome: signingOutcome.describe(
      'What would be decided now; a freeze of user, key or anything around it denies. `require_approvals`: it would wait for them.',
    ),
    reason: s.string().describe('Why, for people.'),
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
