/** Making and replacing signing policies, as the first two versions of the rules know them. */
import { z } from 'zod';
import {
  createSigningPolicyOperation,
  updateSigningPolicyOperation,
} from '@countersign/api/operations/signing-policies.js';
import { displayName, id, idList } from '@countersign/api/primitives.js';
import { compareDecimals, isDecimal } from '@countersign/core/decimal.js';
import { isRefusal, refuse, type Refusal } from '@countersign/core/errors.js';
import type {
  Rule,
  RuleConditions,
  SecurityGroup,
  SigningPolicy,
  VaultState,
} from '../../state/state.js';
import { insertRow, replaceRow } from '../../state/table.js';
import { ledgerOperation, type Subject } from '../ledger-operation.js';
import { findRow, newStamps, requireKnown, updatedStamps } from '../lookups.js';
import { createSigningPolicy, updateSigningPolicy, vaultsOfGroup } from '../signing-policies.js';

const OPERATIONS = ['sign', 'raw_sign'] as const;
const OPERATION_CLASSES = [
  'read',
  'trade',
  'transfer',
  'withdraw',
  'key_admin',
  'session',
  'unknown',
] as const;
const REFUSED_CONDITIONS = ['assets', 'destinations', 'usd_value', 'time', 'velocity'] as const;

const subjectsBody = z
  .strictObject({ user_ids: idList().optional(), user_group_ids: idList().optional() })
  .refine(
    (subjects) => (subjects.user_ids?.length ?? 0) + (subjects.user_group_ids?.length ?? 0) > 0,
    'must name at least one user or group',
  );

const approvals = z.strictObject({
  quorum: z.number().int().min(1),
  user_ids: idList().optional(),
  user_group_ids: idList().optional(),
});

const refusedCondition = z
  .unknown()
  .optional()
  .superRefine((value, context) => {
    if (value !== undefined) {
      context.addIssue({
        code: 'custom',
        message: 'this condition is not available in this release',
      });
    }
  });

const decimal = z.string().refine(isDecimal, 'must be an unsigned decimal number');

const amountBounds = z
  .strictObject({ min: decimal.optional(), max: decimal.optional() })
  .refine(({ min, max }) => min !== undefined || max !== undefined, 'must state min or max')
  .refine(
    ({ min, max }) => min === undefined || max === undefined || compareDecimals(min, max) <= 0,
    'can never match: min is above max',
  );

const listOf = <Item extends z.ZodType>(item: Item) => z.array(item).min(1).max(100).optional();

const visibleText = (max: number) =>
  z
    .string()
    .max(max)
    .regex(/^[\x21-\x7e]+(?: [\x21-\x7e]+)*$/, 'must be printable ASCII');

const conditionsBody = z.strictObject({
  operations: z.array(z.enum(OPERATIONS)).min(1).optional(),
  initiators: subjectsBody.optional(),
  networks: listOf(z.string().max(64)),
  venue_ids: listOf(z.string().max(64)),
  operation_classes: listOf(z.enum(OPERATION_CLASSES)),
  endpoints: listOf(visibleText(256)),
  symbols: listOf(visibleText(64)),
  sides: listOf(z.enum(['buy', 'sell'])),
  amount: amountBounds.optional(),
  ...(Object.fromEntries(REFUSED_CONDITIONS.map((name) => [name, refusedCondition])) as Record<
    (typeof REFUSED_CONDITIONS)[number],
    typeof refusedCondition
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

type RuleBody = z.output<typeof ruleBody>;

const rulesBody = z.array(ruleBody).min(1).max(100);

/** As today's of the same `id`, but for the body and what it does. */
export const firstCreateSigningPolicy = ledgerOperation({
  ...createSigningPolicyOperation,
  // of today's body
  example: createSigningPolicyOperation.example as never,
  body: z.strictObject({ display_name: displayName, security_group_id: id, rules: rulesBody }),
  vaultIds: (state, { body }) => vaultsOfGroup(state, body.security_group_id),
  apply(state, { body }, context) {
    const group = state.securityGroups.rows.get(body.security_group_id);
    if (group === undefined) {
      return refuse('invalid_inputs', 'security_group_id: names an unknown security group');
    }
    const rules = makeRules(state, body.rules, (name) => context.newId(name));
    if (isRefusal(rules)) return rules;
    const policy: SigningPolicy = {
      id: context.newId('signing-policy'),
      displayName: body.display_name,
      securityGroupId: group.id,
      version: 1,
      rules,
      ...newStamps(context),
    };
    const signingPolicyIds = [...group.signingPolicyIds, policy.id];
    return {
      state: {
        ...state,
        signingPolicies: insertRow(state.signingPolicies, policy),
        securityGroups: replaceRow(state.securityGroups, { ...group, signingPolicyIds }),
      },
      subject: subjectOf(policy, group),
    };
  },
  answer: createSigningPolicy.answer,
});

/** As today's of the same `id`, but for the body and what it does. */
export const firstUpdateSigningPolicy = ledgerOperation({
  ...updateSigningPolicyOperation,
  // of today's body
  example: updateSigningPolicyOperation.example as never,
  body: z.strictObject({
    display_name: displayName,
    rules: rulesBody,
    version: z.number().int().min(1),
  }),
  vaultIds(state, { params }) {
    const policy = state.signingPolicies.rows.get(params['policy_id'] ?? '');
    return policy === undefined ? [] : vaultsOfGroup(state, policy.securityGroupId);
  },
  apply(state, { params, body }, context) {
    const before = findRow(state.signingPolicies, params['policy_id']);
    if (isRefusal(before)) return before;
    if (body.version !== before.version) {
      return refuse('resource_conflict', `the policy is at version ${before.version}`);
    }
    const rules = makeRules(state, body.rules, (name) => context.newId(name));
    if (isRefusal(rules)) return rules;
    const policy = {
      ...before,
      displayName: body.display_name,
      rules,
      version: before.version + 1,
      ...updatedStamps(context),
    };
    const group = state.securityGroups.rows.get(policy.securityGroupId);
    if (group === undefined) throw new Error(`signing policy ${policy.id} has no group`);
    return {
      state: { ...state, signingPolicies: replaceRow(state.signingPolicies, policy) },
      subject: subjectOf(policy, group),
    };
  },
  answer: updateSigningPolicy.answer,
});

function subjectOf(policy: SigningPolicy, group: SecurityGroup): Subject {
  return {
    resourceType: 'signing_policy',
    resourceIds: [policy.id],
    vaultIds: group.vaultIds ?? [],
  };
}

function makeRules(
  state: VaultState,
  bodies: readonly RuleBody[],
  newId: (name: string) => string,
): Rule[] | Refusal {
  const rules: Rule[] = [];
  for (const [index, body] of bodies.entries()) {
    const rule = makeRule(state, body, newId(`rule ${index}`));
    if (isRefusal(rule)) return { ...rule, message: `rules.${index}: ${rule.message}` };
    rules.push(rule);
  }
  return rules;
}

function makeRule(state: VaultState, body: RuleBody, ruleId: string): Rule | Refusal {
  if (typeof body.then !== 'string') {
    return refuse('invalid_inputs', 'approvals are not available in this release');
  }
  const { initiators } = body.when;
  const fault =
    requireKnown(state.users, initiators?.user_ids ?? [], 'user') ??
    requireKnown(state.userGroups, initiators?.user_group_ids ?? [], 'user group');
  if (fault !== undefined) return fault;
  const { display_name: name, enabled = true, then } = body;
  return { id: ruleId, displayName: name, enabled, when: conditionsOf(body.when), then };
}

function conditionsOf(when: RuleBody['when']): RuleConditions {
  const { initiators, amount } = when;
  return {
    ...listCondition('operations', when.operations),
    ...(initiators !== undefined && {
      initiators: {
        userIds: initiators.user_ids ?? [],
        userGroupIds: initiators.user_group_ids ?? [],
      },
    }),
    ...listCondition('networks', when.networks),
    ...listCondition('venueIds', when.venue_ids),
    ...listCondition('operationClasses', when.operation_classes),
    ...listCondition('endpoints', when.endpoints),
    ...listCondition('symbols', when.symbols),
    ...listCondition('sides', when.sides),
    ...(amount !== undefined && { amount }),
  };
}

function listCondition<Name extends string, Item>(
  name: Name,
  items: readonly Item[] | undefined,
): Partial<Record<Name, Item[]>> {
  return items === undefined ? {} : ({ [name]: [...new Set(items)] } as Record<Name, Item[]>);
}
