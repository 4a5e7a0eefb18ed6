/** Policies and security groups as answers have them, and what only reads. */
import * as s from '@countersign/core/shapes.js';
import { ADMIN_POLICY_TYPES } from './requests/admin-policy-types.js';
import { OPERATION_CLASSES } from '@countersign/venues/engine/venue.js';
import { pageOf, stampFields } from './common-schema.js';
import { SHOWN_FIELDS } from './conditions/conditions.js';
import { signingOperation } from './conditions/operations.js';
import { base64Bytes, usedPrice } from './signing-schema.js';
import { labelSelector } from './labels-schema.js';
import { commaSeparatedEnum, dateTime, displayName, id } from './primitives.js';
import { pageQuery } from './primitives.js';
import { shownSubjects } from './conditions/subjects.js';
import { venueRequest } from './venue-schema.js';
import {
  adminPolicyType,
  policyEffect,
  member,
  WHEN,
  givenBackRuleBody,
  rulesOf,
} from './policy-bodies.js';

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
