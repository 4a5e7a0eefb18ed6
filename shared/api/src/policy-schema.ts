import { z } from 'zod';
import { ADMIN_POLICY_TYPES } from './admin-policy-types.js';
import { compareDecimals, isDecimal } from '@countersign/core/decimal.js';
import { OPERATION_CLASSES } from '@countersign/venues/engine/venue.js';
import { pageOf, stampFields } from './common-schema.js';
import { commaSeparatedIds, displayName, id, idList, pageQuery } from './primitives.js';
import { venueRequest } from './venue-schema.js';
import { MEMBER_TYPES, SIGNING_OPERATION_NAMES } from '@countersign/core/vocabulary.js';

const adminPolicyType = z.enum(ADMIN_POLICY_TYPES).meta({
  id: 'AdminPolicyType',
  description: 'What an administrative policy allows or denies.',
});

const subjectsBody = z
  .strictObject({ user_ids: idList().optional(), user_group_ids: idList().optional() })
  .refine(
    (subjects) => (subjects.user_ids?.length ?? 0) + (subjects.user_group_ids?.length ?? 0) > 0,
    'must name at least one user or group',
  );

/** Approvals: the shape is fixed now; a policy that asks for one is refused until quorums arrive. */
const approvals = z.strictObject({
  quorum: z.number().int().min(1),
  user_ids: idList().optional(),
  user_group_ids: idList().optional(),
});

export const createAdminPolicyBody = z
  .strictObject({
    display_name: displayName,
    action: adminPolicyType,
    effect: z.enum(['allow', 'deny']),
    subjects: subjectsBody,
    scope: z.strictObject({ vault_ids: idList().min(1).optional() }).optional(),
    approvals: approvals.optional(),
  })
  .meta({ id: 'AdminPolicyRequest' });

export const updateAdminPolicyBody = createAdminPolicyBody
  .extend({ version: z.number().int().min(1) })
  .meta({ id: 'UpdateAdminPolicyRequest' });

const subjectsShape = z.strictObject({ user_ids: z.array(id), user_group_ids: z.array(id) });

export const adminPolicy = z
  .strictObject({
    id,
    display_name: z.string(),
    action: adminPolicyType,
    effect: z.enum(['allow', 'deny']),
    subjects: subjectsShape,
    scope: z.strictObject({ vault_ids: z.array(id).optional() }),
    version: z.int(),
    ...stampFields,
  })
  .meta({ id: 'AdminPolicy' });

export const adminPolicyPage = pageOf('AdminPolicyPage', adminPolicy);

export const listAdminPoliciesQuery = z.strictObject({
  ...pageQuery,
  actions: z
    .string()
    .transform((text) => text.split(','))
    .pipe(z.array(adminPolicyType).max(100))
    .optional(),
});

const memberType = z.enum(MEMBER_TYPES);
const member = z.strictObject({ member_id: id, member_type: memberType });

export const createSecurityGroupBody = z
  .strictObject({
    display_name: displayName,
    vault_ids: idList().min(1).optional(),
    members: z.array(member).max(100).optional(),
  })
  .meta({ id: 'SecurityGroupRequest' });

export const updateSecurityGroupBody = z
  .strictObject({ display_name: displayName })
  .meta({ id: 'UpdateSecurityGroupRequest' });

/** The member's type may be stated; it is checked, never guessed. */
export const putMemberBody = z
  .strictObject({ member_type: memberType.optional() })
  .meta({ id: 'PutMemberRequest' });

export const patchMembersBody = z
  .strictObject({
    add: z.array(member).max(100).optional(),
    remove: idList().optional(),
  })
  .refine(
    (body) => (body.add?.length ?? 0) + (body.remove?.length ?? 0) > 0,
    'must add or remove something',
  )
  .meta({ id: 'PatchMembersRequest' });

export const memberIdsQuery = z.strictObject({ member_ids: commaSeparatedIds });

export const securityGroup = z
  .strictObject({
    id,
    display_name: z.string(),
    vault_ids: z.array(id).optional(),
    members: z.array(member),
    signing_policy_ids: z.array(id),
    ...stampFields,
  })
  .meta({ id: 'SecurityGroup' });

export const securityGroupPage = pageOf('SecurityGroupPage', securityGroup);

export const listSecurityGroupsQuery = z.strictObject({
  ...pageQuery,
  signing_policy_id: id.optional(),
});

const signingOperation = z.enum(SIGNING_OPERATION_NAMES);
const LATER_CONDITIONS = ['assets', 'destinations', 'usd_value', 'time', 'velocity'] as const;

/** Conditions that DECISIONS names and this release cannot check: stated, they are refused. */
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

const decimal = z.string().refine(isDecimal, 'must be an unsigned decimal number');

const amountBounds = z
  .strictObject({ min: decimal.optional(), max: decimal.optional() })
  .refine(({ min, max }) => min !== undefined || max !== undefined, 'must state min or max')
  .refine(
    ({ min, max }) => min === undefined || max === undefined || compareDecimals(min, max) <= 0,
    'can never match: min is above max',
  )
  .meta({ description: 'Inclusive bounds, in units of the traded or moved asset.' });

const listOf = <Item extends z.ZodType>(item: Item) => z.array(item).min(1).max(100).optional();

const visibleText = (max: number) =>
  z
    .string()
    .max(max)
    .regex(/^[\x21-\x7e]+(?: [\x21-\x7e]+)*$/, 'must be printable ASCII');

const conditionsBody = z.strictObject({
  operations: z.array(signingOperation).min(1).optional(),
  initiators: subjectsBody.optional(),
  networks: listOf(z.string().max(64)),
  venue_ids: listOf(z.string().max(64)),
  operation_classes: listOf(z.enum(OPERATION_CLASSES)),
  endpoints: listOf(visibleText(256)).meta({
    description: 'As in a signed request: `METHOD /path`, e.g. `POST /api/v5/trade/order`.',
  }),
  symbols: listOf(visibleText(64)),
  sides: listOf(z.enum(['buy', 'sell'])),
  amount: amountBounds.optional(),
  ...(Object.fromEntries(LATER_CONDITIONS.map((name) => [name, notYet])) as Record<
    (typeof LATER_CONDITIONS)[number],
    typeof notYet
  >),
});

const ruleBody = z.strictObject({
  display_name: displayName,
  enabled: z.boolean().optional(),
  when: conditionsBody,
  then: z.union([
    z.enum(['allow', 'deny']),
    z.strictObject({ require_approvals: approvals }).superRefine((_value, context) => {
      context.addIssue({
        code: 'custom',
        message: 'approvals are not available in this release',
      });
    }),
  ]),
});

export type RuleBody = z.output<typeof ruleBody>;

export const createSigningPolicyBody = z
  .strictObject({
    display_name: displayName,
    security_group_id: id,
    rules: z.array(ruleBody).min(1).max(100),
  })
  .meta({ id: 'SigningPolicyRequest' });

export const updateSigningPolicyBody = z
  .strictObject({
    display_name: displayName,
    rules: z.array(ruleBody).min(1).max(100),
    version: z.number().int().min(1),
  })
  .meta({ id: 'UpdateSigningPolicyRequest' });

export const signingPolicyOrderBody = z
  .strictObject({ signing_policy_ids: idList() })
  .meta({ id: 'SigningPolicyOrderRequest' });

const rule = z.strictObject({
  id,
  display_name: z.string(),
  enabled: z.boolean(),
  when: z.strictObject({
    operations: z.array(signingOperation).optional(),
    initiators: subjectsShape.optional(),
    networks: z.array(z.string()).optional(),
    venue_ids: z.array(z.string()).optional(),
    operation_classes: z.array(z.enum(OPERATION_CLASSES)).optional(),
    endpoints: z.array(z.string()).optional(),
    symbols: z.array(z.string()).optional(),
    sides: z.array(z.enum(['buy', 'sell'])).optional(),
    amount: z.strictObject({ min: z.string().optional(), max: z.string().optional() }).optional(),
  }),
  then: z.enum(['allow', 'deny']),
});

export const signingPolicy = z
  .strictObject({
    id,
    display_name: z.string(),
    security_group_id: id,
    position: z.int(),
    version: z.int(),
    rules: z.array(rule),
    ...stampFields,
  })
  .meta({ id: 'SigningPolicy' });

export const signingPolicyPage = pageOf('SigningPolicyPage', signingPolicy);

export const listSigningPoliciesQuery = z.strictObject({
  ...pageQuery,
  security_group_id: id.optional(),
});

export const evaluateBody = z
  .strictObject({
    user_id: id.optional(),
    operation: signingOperation,
    key_id: id.optional(),
    vault_id: id.optional(),
    address: z.string().max(128).optional(),
    network_id: z.string().max(64).optional(),
    venue_request: venueRequest.optional(),
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
    outcome: z.enum(['allow', 'deny']),
    reason: z.string(),
    policy: z.strictObject({ id, version: z.int(), rule_id: id }).nullable(),
    trace: z.array(
      z.strictObject({
        policy_id: id,
        rule_id: id,
        result: z.enum(['disabled', 'matched', 'not_matched', 'error']),
        failed_condition: z.string().optional(),
      }),
    ),
  })
  .meta({ id: 'Evaluation' });
