/**
 * Signing policies as the first two versions of the rules know them: a rule may allow without naming initiators, an
 * update gives every rule a new id, and the conditions that came since are refused. What such rules come to when a
 * signature is asked for is decided by today's policies, which allow nobody whom a rule does not name.
 */
import { z } from 'zod';
import {
  createSigningPolicyOperation,
  updateSigningPolicyOperation,
} from '@countersign/api/operations/signing-policies.js';
import { displayName, id, idList } from '@countersign/api/primitives.js';
import { compareDecimals, isDecimal } from '@countersign/core/decimal.js';
import { isRefusal, refuse, type Refusal } from '@countersign/core/errors.js';
import type { Rule, RuleConditions, SigningPolicy, VaultState } from '../../state/state.js';
import { insertRow, replaceRow } from '../../state/table.js';
import { ledgerOperation } from '../ledger-operation.js';
import { findRow, newStamps, requireKnown, updatedStamps } from '../lookups.js';
import {
  createSigningPolicy,
  groupOf,
  subjectOf,
  updateSigningPolicy,
  vaultsOfGroup,
} from '../signing-policies.js';

const subjects = z
  .strictObject({ user_ids: idList().optional(), user_group_ids: idList().optional() })
  .refine(
    (named) => (named.user_ids?.length ?? 0) + (named.user_group_ids?.length ?? 0) > 0,
    'must name at least one user or group',
  );

const decimal = z.string().refine(isDecimal, 'must be an unsigned decimal number');

const amount = z
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

const notYet = z
  .unknown()
  .optional()
  .refine((value) => value === undefined, 'this condition is not available in this release');

const classes = z.enum([
  'read',
  'trade',
  'transfer',
  'withdraw',
  'key_admin',
  'session',
  'unknown',
]);

const rule = z.strictObject({
  display_name: displayName,
  enabled: z.boolean().optional(),
  when: z.strictObject({
    operations: z
      .array(z.enum(['sign', 'raw_sign']))
      .min(1)
      .optional(),
    initiators: subjects.optional(),
    networks: listOf(z.string().max(64)),
    venue_ids: listOf(z.string().max(64)),
    operation_classes: listOf(classes),
    endpoints: listOf(visibleText(256)),
    symbols: listOf(visibleText(64)),
    sides: listOf(z.enum(['buy', 'sell'])),
    amount: amount.optional(),
    assets: notYet,
    destinations: notYet,
    usd_value: notYet,
    time: notYet,
    velocity: notYet,
  }),
  then: z.enum(['allow', 'deny']),
});

type FirstRule = z.output<typeof rule>;

const rules = z.array(rule).min(1).max(100);

export const firstCreateSigningPolicy = ledgerOperation({
  ...createSigningPolicyOperation,
  // of today's body
  example: createSigningPolicyOperation.example as never,
  body: z.strictObject({ display_name: displayName, security_group_id: id, rules }),
  vaultIds: (state, { body }) => vaultsOfGroup(state, body.security_group_id),
  apply(state, { body }, context) {
    const group = state.securityGroups.rows.get(body.security_group_id);
    if (group === undefined) {
      return refuse('invalid_inputs', 'security_group_id: names an unknown security group');
    }
    const made = makeFirstRules(state, body.rules, (name) => context.newId(name));
    if (isRefusal(made)) return made;
    const policy: SigningPolicy = {
      id: context.newId('signing-policy'),
      displayName: body.display_name,
      securityGroupId: group.id,
      version: 1,
      rules: made,
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

export const firstUpdateSigningPolicy = ledgerOperation({
  ...updateSigningPolicyOperation,
  // of today's body
  example: updateSigningPolicyOperation.example as never,
  body: z.strictObject({ display_name: displayName, rules, version: z.number().int().min(1) }),
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
    const made = makeFirstRules(state, body.rules, (name) => context.newId(name));
    if (isRefusal(made)) return made;
    const policy = {
      ...before,
      displayName: body.display_name,
      rules: made,
      version: before.version + 1,
      ...updatedStamps(context),
    };
    return {
      state: { ...state, signingPolicies: replaceRow(state.signingPolicies, policy) },
      subject: subjectOf(policy, groupOf(state, policy)),
    };
  },
  answer: updateSigningPolicy.answer,
});

function makeFirstRules(
  state: VaultState,
  bodies: readonly FirstRule[],
  newId: (name: string) => string,
): Rule[] | Refusal {
  const made: Rule[] = [];
  for (const [index, { display_name: name, enabled = true, when, then }] of bodies.entries()) {
    const { initiators } = when;
    const fault =
      requireKnown(state.users, initiators?.user_ids ?? [], 'user') ??
      requireKnown(state.userGroups, initiators?.user_group_ids ?? [], 'user group');
    if (fault !== undefined) return refuse(fault.refused, `rules.${index}: ${fault.message}`);
    const conditions = firstConditions(when);
    made.push({
      id: newId(`rule ${index}`),
      displayName: name,
      enabled,
      when: conditions,
      then,
    });
  }
  return made;
}

function firstConditions(when: FirstRule['when']): RuleConditions {
  const { initiators } = when;
  return {
    ...list('operations', when.operations),
    ...(initiators !== undefined && {
      initiators: {
        userIds: initiators.user_ids ?? [],
        userGroupIds: initiators.user_group_ids ?? [],
      },
    }),
    ...list('networks', when.networks),
    ...list('venueIds', when.venue_ids),
    ...list('operationClasses', when.operation_classes),
    ...list('endpoints', when.endpoints),
    ...list('symbols', when.symbols),
    ...list('sides', when.sides),
    ...(when.amount !== undefined && { amount: when.amount }),
  };
}

function list<Name extends string, Item>(
  name: Name,
  items: readonly Item[] | undefined,
): Partial<Record<Name, Item[]>> {
  return items === undefined ? {} : ({ [name]: [...new Set(items)] } as Record<Name, Item[]>);
}
