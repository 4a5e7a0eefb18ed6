import { z } from 'zod';
import { ADMIN_POLICY_TYPES } from './admin-policy-types.js';
import { compareDecimals, isDecimal } from '@countersign/core/decimal.js';
import { OPERATION_CLASSES } from '@countersign/venues/engine/venue.js';
import { pageOf, stampFields } from './common-schema.js';
import { commaSeparatedEnum, commaSeparatedIds, displayName, id } from './primitives.js';
import { idList, pageQuery } from './primitives.js';
import { venueRequest } from './venue-schema.js';
import {
  MEMBER_TYPES,
  SIGNING_OPERATION_NAMES,
  VELOCITY_SCOPES,
  VELOCITY_UNITS,
} from '@countersign/core/vocabulary.js';

const adminPolicyType = z.enum(ADMIN_POLICY_TYPES).meta({
  id: 'AdminPolicyType',
  description: 'What an administrative policy allows or denies.',
});

const subjectsBody = z
  .strictObject({
    user_ids: idList().optional().describe('Ids of users, at most 100, none twice. Absent: none.'),
    user_group_ids: idList()
      .optional()
      .describe('Ids of user groups, at most 100, none twice: their members. Absent: none.'),
  })
  .refine(
    (subjects) => (subjects.user_ids?.length ?? 0) + (subjects.user_group_ids?.length ?? 0) > 0,
    'must name at least one user or group',
  );

/** Approvals: the shape is fixed now; a policy that asks for one is refused until quorums arrive. */
const approvals = z.strictObject({
  quorum: z.number().int().min(1).describe('How many must approve.'),
  user_ids: idList().optional().describe('Ids of users who may approve, at most 100, none twice.'),
  user_group_ids: idList()
    .optional()
    .describe('Ids of user groups whose members may approve, at most 100, none twice.'),
});

const policyEffect = z
  .enum(['allow', 'deny'])
  .describe('What no policy allows is denied; one that denies wins over every one that allows.');

export const createAdminPolicyBody = z
  .strictObject({
    display_name: displayName,
    action: adminPolicyType.describe('What the subjects may do, or may not.'),
    effect: policyEffect,
    subjects: subjectsBody.describe('Whom it is about: at least one user or user group.'),
    scope: z
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
      .describe('Whose approval is needed. Not available in this release: refused with 422.'),
  })
  .meta({ id: 'AdminPolicyRequest' });

const policyVersionRead = z
  .number()
  .int()
  .min(1)
  .describe('The version that was read: 409 when the policy has changed since.');

export const updateAdminPolicyBody = createAdminPolicyBody
  .extend({ version: policyVersionRead })
  .meta({ id: 'UpdateAdminPolicyRequest' });

const subjectsShape = z.strictObject({
  user_ids: z.array(id).describe('Ids of users; empty for none.'),
  user_group_ids: z.array(id).describe('Ids of user groups: their members; empty for none.'),
});

const policyVersion = z.int().describe('Begins at 1 and rises by 1 with every update.');

export const adminPolicy = z
  .strictObject({
    id: id.describe('Id of the policy.'),
    display_name: z.string().describe('Name for people; not unique.'),
    action: adminPolicyType.describe('What the subjects may do, or may not.'),
    effect: policyEffect,
    subjects: subjectsShape.describe('Whom it is about.'),
    scope: z
      .strictObject({
        vault_ids: z.array(id).optional().describe('Ids of vaults. Absent: everywhere.'),
      })
      .describe('Where it holds; empty: everywhere.'),
    version: policyVersion,
    ...stampFields,
  })
  .meta({ id: 'AdminPolicy' });

export const adminPolicyPage = pageOf('AdminPolicyPage', adminPolicy);

export const listAdminPoliciesQuery = z.strictObject({
  ...pageQuery,
  actions: commaSeparatedEnum(ADMIN_POLICY_TYPES)
    .optional()
    .describe('Comma-separated values of AdminPolicyType: policies for one of them. Absent: all.'),
});

const memberType = z.enum(MEMBER_TYPES);
const member = z.strictObject({
  member_id: id.describe('`id` of the key or wallet.'),
  member_type: memberType.describe("What it is. A wallet's own key is no member: the wallet is."),
});

const securityGroupName = displayName.describe(
  'Name for people, unique among security groups without regard to case: 1 to 128 characters, without control characters and without white space at either end.',
);

export const createSecurityGroupBody = z
  .strictObject({
    display_name: securityGroupName,
    vault_ids: idList()
      .min(1)
      .optional()
      .describe(
        'Ids of vaults, 1 to 100, none twice: only wallets in these can be members, and whoever administers all of these vaults may manage the group. Absent: keys, and wallets in any vault. It stays as it is.',
      ),
    members: z
      .array(member)
      .max(100)
      .optional()
      .describe('The first members, at most 100. Absent: none.'),
  })
  .meta({ id: 'SecurityGroupRequest' });

export const updateSecurityGroupBody = z
  .strictObject({ display_name: securityGroupName })
  .meta({ id: 'UpdateSecurityGroupRequest' });

/** The member's type may be stated; it is checked, never guessed. */
export const putMemberBody = z
  .strictObject({
    member_type: memberType
      .optional()
      .describe('What the member is: 422 when it is something else. Absent: not checked.'),
  })
  .meta({ id: 'PutMemberRequest' });

export const patchMembersBody = z
  .strictObject({
    add: z
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

export const memberIdsQuery = z.strictObject({
  member_ids: commaSeparatedIds.describe(
    'Comma-separated ids of members, 1 to 100; 404 when one of them is no member.',
  ),
});

export const securityGroup = z
  .strictObject({
    id: id.describe('Id of the security group.'),
    display_name: z.string().describe('Name for people; unique among security groups.'),
    vault_ids: z
      .array(id)
      .optional()
      .describe('Ids of the vaults that it is limited to. Absent: it is not limited.'),
    members: z.array(member).describe('Keys and wallets that its signing policies decide on.'),
    signing_policy_ids: z
      .array(id)
      .describe('Ids of its signing policies, in the order in which they are evaluated.'),
    ...stampFields,
  })
  .meta({ id: 'SecurityGroup' });

export const securityGroupPage = pageOf('SecurityGroupPage', securityGroup);

export const listSecurityGroupsQuery = z.strictObject({
  ...pageQuery,
  signing_policy_id: id
    .optional()
    .describe('Id of a signing policy: the group that it belongs to. Absent: all.'),
});

const signingOperation = z.enum(SIGNING_OPERATION_NAMES);
const LATER_CONDITIONS = ['assets', 'destinations', 'usd_value', 'time'] as const;

/**
 * Conditions that a later release will have. This one cannot check them, so a rule that states one is
 * refused: passed over, it would allow more than its author meant.
 */
const notYet = z
  .unknown()
  .optional()
  .superRefine((value, context) => {
    if (value !== undefined) {
      context.addIssue({
        code: 'custom',
        message: 'this condition is not available in this release',
      });
    }
  })
  .meta({ description: 'Not available in this release: refused with 422.' });

/** What each condition of a rule means, in a request and in an answer. */
const CONDITION_TEXTS = {
  operations:
    'What is asked for. `sign`: a transaction or a venue request; `raw_sign`: bytes as they are. Absent: `sign` alone.',
  initiators: 'Who asks for the signature. Absent: anyone.',
  networks: 'Ids of the networks that a transaction may be for. Absent: any, or none.',
  venue_ids: 'Ids of the venues that the key may be for. Absent: any, or none.',
  operation_classes:
    'What a venue request does at the venue; nothing but venue requests matches. Absent: of venue requests a rule that allows covers `read`, `cancel` and `trade`, one that denies all. `cancel` can only take orders away; where the signature at a venue cannot tell them apart, it reads orders, too.',
  endpoints:
    'Endpoint of a venue request as in the table of the venue: `METHOD /path`, e.g. `POST /api/v5/trade/order`. Absent: any.',
  symbols:
    'Markets or assets as the venue writes them, compared without regard to case: a rule that allows must cover all of the request, one that denies needs one. Absent: any.',
  sides:
    'Sides of the orders: a rule that allows must cover all of the request, one that denies needs one. Absent: any.',
  amount:
    'Inclusive bounds, in units of the traded or moved asset: a rule that allows must cover every amount of the request, one that denies needs one. Absent: any. A rule that has one of `amount`, `quote_amount` and `contracts` denies what states its size in another unit than those that it has.',
  quote_amount:
    'Inclusive bounds, in units of what the market is quoted in, for orders that state their cost; otherwise as `amount`. Absent: any.',
  contracts:
    'Inclusive bounds on a number of contracts, for markets whose orders count them; otherwise as `amount`. Only beside `symbols`: in every market a contract is worth something else. Absent: any.',
  velocity:
    'How much the rule may allow in any span of `window_s` seconds, this request included; beyond it the rule does not match. Of a rule that allows alone. Absent: no limit.',
} as const;

const decimal = z.string().refine(isDecimal, 'must be an unsigned decimal number');

const boundsBody = z
  .strictObject({
    min: decimal
      .optional()
      .describe('Lower bound, inclusive: a decimal string such as `0.01`. Absent: none.'),
    max: decimal
      .optional()
      .describe('Upper bound, inclusive: a decimal string such as `0.01`. Absent: none.'),
  })
  .refine(({ min, max }) => min !== undefined || max !== undefined, 'must state min or max')
  .refine(
    ({ min, max }) => min === undefined || max === undefined || compareDecimals(min, max) <= 0,
    'can never match: min is above max',
  )
  .optional();

const VELOCITY_TEXTS = {
  limit:
    'What the window may hold, inclusive: a decimal string, whole for `count`; `0` allows nothing.',
  unit: 'What is counted. `count`: requests, each signed one once; `amount` and `quote_amount`: the amounts of venue requests in that unit, which needs `symbols` beside it: amounts of different assets are added up as they are. A request that states its size in another unit is denied.',
  window_s: 'Length of the rolling window in seconds, 1 to 2678400 (31 days).',
  per: 'Whose requests are counted together: those of one `key`, one `wallet` or one `initiator`, or all that the rule allows in its security `group`.',
} as const;

const MAX_WINDOW_S = 2_678_400;

const velocityLimit = z
  .strictObject({
    limit: decimal.describe(VELOCITY_TEXTS.limit),
    unit: z.enum(VELOCITY_UNITS).describe(VELOCITY_TEXTS.unit),
    window_s: z.int().min(1).max(MAX_WINDOW_S).describe(VELOCITY_TEXTS.window_s),
    per: z.enum(VELOCITY_SCOPES).describe(VELOCITY_TEXTS.per),
  })
  .refine(({ limit, unit }) => unit !== 'count' || /^\d+$/.test(limit), {
    path: ['limit'],
    message: 'must be a whole number of requests',
  })
  .meta({ description: CONDITION_TEXTS.velocity });

const listOf = <Item extends z.ZodType>(item: Item) => z.array(item).min(1).max(100).optional();

const visibleText = (max: number) =>
  z
    .string()
    .max(max)
    .regex(/^[\x21-\x7e]+(?: [\x21-\x7e]+)*$/, 'must be printable ASCII');

const conditionsBody = z.strictObject({
  operations: z.array(signingOperation).min(1).optional().describe(CONDITION_TEXTS.operations),
  initiators: subjectsBody.optional().describe(CONDITION_TEXTS.initiators),
  networks: listOf(z.string().max(64)).describe(CONDITION_TEXTS.networks),
  venue_ids: listOf(z.string().max(64)).describe(CONDITION_TEXTS.venue_ids),
  operation_classes: listOf(z.enum(OPERATION_CLASSES)).describe(CONDITION_TEXTS.operation_classes),
  endpoints: listOf(visibleText(256)).meta({ description: CONDITION_TEXTS.endpoints }),
  symbols: listOf(visibleText(64)).describe(CONDITION_TEXTS.symbols),
  sides: listOf(z.enum(['buy', 'sell'])).describe(CONDITION_TEXTS.sides),
  amount: boundsBody.meta({ description: CONDITION_TEXTS.amount }),
  quote_amount: boundsBody.meta({ description: CONDITION_TEXTS.quote_amount }),
  contracts: boundsBody.meta({ description: CONDITION_TEXTS.contracts }),
  velocity: velocityLimit.optional(),
  ...(Object.fromEntries(LATER_CONDITIONS.map((name) => [name, notYet])) as Record<
    (typeof LATER_CONDITIONS)[number],
    typeof notYet
  >),
});

type Conditions = z.output<typeof conditionsBody>;

/** Why a limit could not do what its author means, or undefined. */
function findVelocityFault({ velocity, symbols }: Conditions, then: unknown): string | undefined {
  if (velocity === undefined) return undefined;
  if (then === 'deny') return 'a rule that denies counts nothing: state it of one that allows';
  return velocity.unit !== 'count' && symbols === undefined
    ? `state symbols beside a limit on ${velocity.unit}`
    : undefined;
}

const WHEN = 'The conditions, all of which must hold for the rule to decide.';

const ruleBody = z
  .strictObject({
    display_name: displayName,
    enabled: z.boolean().optional().describe('Whether the rule is evaluated; true when absent.'),
    when: conditionsBody.describe(WHEN),
    then: z
      .union([
        z.enum(['allow', 'deny']),
        z
          .strictObject({
            require_approvals: approvals.describe(
              'Not available in this release: refused with 422.',
            ),
          })
          .superRefine((_value, context) => {
            context.addIssue({
              code: 'custom',
              message: 'approvals are not available in this release',
            });
          }),
      ])
      .describe('What the rule decides.'),
  })
  .superRefine(({ when, then }, context) => {
    const fault = findVelocityFault(when, then);
    if (fault !== undefined) {
      context.addIssue({ code: 'custom', path: ['when', 'velocity'], message: fault });
    }
  });

export type RuleBody = z.output<typeof ruleBody>;

const rulesBody = z
  .array(ruleBody)
  .min(1)
  .max(100)
  .describe(
    'In the order of evaluation, 1 to 100: the first enabled rule whose every condition holds decides. What no rule allows is denied.',
  );

export const createSigningPolicyBody = z
  .strictObject({
    display_name: displayName,
    security_group_id: id.describe(
      'Id of the security group whose members it decides on; it is placed behind the policies there.',
    ),
    rules: rulesBody,
  })
  .meta({ id: 'SigningPolicyRequest' });

export const updateSigningPolicyBody = z
  .strictObject({
    display_name: displayName,
    rules: rulesBody,
    version: policyVersionRead,
  })
  .meta({ id: 'UpdateSigningPolicyRequest' });

export const signingPolicyOrderBody = z
  .strictObject({
    signing_policy_ids: idList().describe(
      "Ids of the group's signing policies, each of them once, in the order of evaluation.",
    ),
  })
  .meta({ id: 'SigningPolicyOrderRequest' });

const bounds = z
  .strictObject({
    min: z.string().optional().describe('Lower bound, inclusive: a decimal string. Absent: none.'),
    max: z.string().optional().describe('Upper bound, inclusive: a decimal string. Absent: none.'),
  })
  .optional();

const rule = z.strictObject({
  id: id.describe('Id of the rule, as receipts and audit log entries name it.'),
  display_name: z.string().describe('Name for people; not unique.'),
  enabled: z.boolean().describe('Whether the rule is evaluated.'),
  when: z
    .strictObject({
      operations: z.array(signingOperation).optional().describe(CONDITION_TEXTS.operations),
      initiators: subjectsShape.optional().describe(CONDITION_TEXTS.initiators),
      networks: z.array(z.string()).optional().describe(CONDITION_TEXTS.networks),
      venue_ids: z.array(z.string()).optional().describe(CONDITION_TEXTS.venue_ids),
      operation_classes: z
        .array(z.enum(OPERATION_CLASSES))
        .optional()
        .describe(CONDITION_TEXTS.operation_classes),
      endpoints: z.array(z.string()).optional().describe(CONDITION_TEXTS.endpoints),
      symbols: z.array(z.string()).optional().describe(CONDITION_TEXTS.symbols),
      sides: z
        .array(z.enum(['buy', 'sell']))
        .optional()
        .describe(CONDITION_TEXTS.sides),
      amount: bounds.describe(CONDITION_TEXTS.amount),
      quote_amount: bounds.describe(CONDITION_TEXTS.quote_amount),
      contracts: bounds.describe(CONDITION_TEXTS.contracts),
      velocity: z
        .strictObject({
          limit: z.string().describe(VELOCITY_TEXTS.limit),
          unit: z.enum(VELOCITY_UNITS).describe(VELOCITY_TEXTS.unit),
          window_s: z.int().describe(VELOCITY_TEXTS.window_s),
          per: z.enum(VELOCITY_SCOPES).describe(VELOCITY_TEXTS.per),
        })
        .optional()
        .describe(CONDITION_TEXTS.velocity),
    })
    .describe(WHEN),
  then: z.enum(['allow', 'deny']).describe('What the rule decides.'),
});

export const signingPolicy = z
  .strictObject({
    id: id.describe('Id of the policy.'),
    display_name: z.string().describe('Name for people; not unique.'),
    security_group_id: id.describe('Id of the security group whose members it decides on.'),
    position: z
      .int()
      .describe('Its place among the policies of the group, in the order of evaluation, from 1.'),
    version: policyVersion,
    rules: z.array(rule).describe('In the order of evaluation.'),
    ...stampFields,
  })
  .meta({ id: 'SigningPolicy' });

export const signingPolicyPage = pageOf('SigningPolicyPage', signingPolicy);

export const listSigningPoliciesQuery = z.strictObject({
  ...pageQuery,
  security_group_id: id.optional().describe('Id of a security group: its policies. Absent: all.'),
});

export const evaluateBody = z
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
    address: z
      .string()
      .max(128)
      .optional()
      .describe('Address of the wallet that would sign; together with `vault_id`.'),
    network_id: z
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
  })
  .refine(
    (body) =>
      body.key_id !== undefined
        ? body.vault_id === undefined && body.address === undefined
        : body.vault_id !== undefined && body.address !== undefined,
    'name either key_id, or vault_id and address',
  )
  .meta({ id: 'EvaluateRequest' });

export const evaluation = z
  .strictObject({
    outcome: z
      .enum(['allow', 'deny'])
      .describe('What would be decided now; a freeze of user, key or anything around it denies.'),
    reason: z.string().describe('Why, for people.'),
    policy: z
      .strictObject({
        id: id.describe('Id of the signing policy.'),
        version: z.int().describe('Its version.'),
        rule_id: id.describe('Id of its rule.'),
      })
      .nullable()
      .describe('The rule that the signing policies decide by; null when none does.'),
    trace: z
      .array(
        z.strictObject({
          policy_id: id.describe('Id of the signing policy.'),
          rule_id: id.describe('Id of its rule.'),
          result: z
            .enum(['disabled', 'matched', 'not_matched', 'error'])
            .describe('`error`: it cannot be evaluated, which denies the whole request.'),
          failed_condition: z
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
