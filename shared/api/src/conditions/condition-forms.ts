/**
 * The form of every condition that a rule can state: how a request states it, and how the state keeps it. This is all
 * of a condition that an entry of the ledger rests on. Its texts, and what it compares when something is signed, stand
 * in a file for each condition beside this one.
 */
import * as s from '@countersign/core/shapes.js';
import { compareDecimals, isDecimal } from '@countersign/core/decimal.js';
import {
  OPERATION_CLASSES,
  SIGNING_OPERATION_NAMES,
  VELOCITY_SCOPES,
  VELOCITY_UNITS,
  WEEKDAYS,
  type OperationClass,
  type SigningOperationName,
} from '@countersign/core/vocabulary.js';
import { id, idList, visibleText } from '../requests/primitives.js';
import type { AskedRequest, ConditionedRule, ConditionForm, KeptConditions } from './condition.js';
import type {
  AmountBounds,
  Initiators,
  NamedInitiators,
  TimeWindow,
  VelocityLimit,
} from './kept-conditions.js';

function listOf<Item extends s.AnyShape>(item: Item, most = 100) {
  return {
    stated: s.array(item).min(1).max(most),
    keep: (stated: readonly s.OutputOf<Item>[]): readonly s.OutputOf<Item>[] => [
      ...new Set(stated),
    ],
  };
}

export const signingOperation = s.words(SIGNING_OPERATION_NAMES);

/** Users and user groups, as requests name them. */
export const statedSubjects = s
  .strictObject({ user_ids: idList().optional(), user_group_ids: idList().optional() })
  .refine(
    (subjects) => (subjects.user_ids?.length ?? 0) + (subjects.user_group_ids?.length ?? 0) > 0,
    'must name at least one user or group',
  );

const statedInitiators = s.union([s.literal('anyone'), statedSubjects]);

const NOBODY: NamedInitiators = { userIds: [], userGroupIds: [] };

/** Whether it names the user. */
export function isNamed(who: Initiators, { id: userId, userGroupIds }: AskedRequest['initiator']) {
  return (
    who === 'anyone' ||
    who.userIds.includes(userId) ||
    who.userGroupIds.some((group) => userGroupIds.includes(group))
  );
}

const localTime = s
  .string()
  .regex(/^(?:[01]\d|2[0-3]):[0-5]\d$/, 'must be a time of day such as 09:30')
  .optional();

/** Writing and evaluating a rule check whether the zone exists: the zones change with the years. */
const statedTime = s
  .strictObject({
    days: s.array(s.words(WEEKDAYS)).min(1).max(WEEKDAYS.length).optional(),
    from: localTime,
    to: localTime,
    time_zone: s
      .string()
      .regex(/^[A-Za-z][A-Za-z0-9_+/-]{0,63}$/, 'must be the name of a time zone'),
  })
  .refine(
    (window) => window.days !== undefined || window.from !== undefined || window.to !== undefined,
    'must state days, from or to',
  )
  .refine(
    (window) => window.to === undefined || (window.from ?? '00:00') !== window.to,
    'can never match: from and to are the same',
  );

/** The classes that an allowing rule covers without naming them. */
const UNNAMED_CLASSES: readonly OperationClass[] = ['read', 'cancel', 'trade'];

const decimal = s.string().refine(isDecimal, 'must be an unsigned decimal number');

const BOUNDS = {
  stated: s
    .strictObject({ min: decimal.optional(), max: decimal.optional() })
    .refine(({ min, max }) => min !== undefined || max !== undefined, 'must state min or max')
    .refine(
      // runs only for bounds that are decimals: comparing others would throw
      ({ min = '0', max = min }) => compareDecimals(min, max) <= 0,
      'can never match: min is above max',
    ),
  keep: (bounds: AmountBounds): AmountBounds => bounds,
};

const MAX_WINDOW_S = 2_678_400;

const statedVelocity = s
  .strictObject({
    limit: decimal,
    unit: s.words(VELOCITY_UNITS),
    window_s: s.int().min(1).max(MAX_WINDOW_S),
    per: s.words(VELOCITY_SCOPES),
  })
  .refine(({ limit, unit }) => unit !== 'count' || /^\d+$/.test(limit), {
    path: ['limit'],
    message: 'must be a whole number of requests',
  });

/** Why a limit could not do what its author means, or undefined. */
function findLimitFault(
  { unit }: VelocityLimit,
  { when, then }: ConditionedRule,
): string | undefined {
  if (then === 'deny') return 'a rule that denies counts nothing: state it of one that allows';
  if (when['symbols'] !== undefined) return undefined;
  if (unit === 'quote_amount') return `state symbols beside a limit on ${unit}`;
  return unit === 'amount' && (when['assets'] as readonly string[] | undefined)?.length !== 1
    ? `state symbols, or one asset, beside a limit on ${unit}`
    : undefined;
}

/** By the field in which the state keeps it, in the order of the description. */
export const FORMS = {
  operations: {
    name: 'operations',
    field: 'operations',
    ...listOf(signingOperation),
    stated: s.array(signingOperation).min(1),
    /**
     * Raw signing bypasses every content rule. So a rule that allows must name it: silence never covers it. A rule
     * that denies stops it with everything else.
     */
    unstated: (denies: boolean): readonly SigningOperationName[] =>
      denies ? SIGNING_OPERATION_NAMES : ['sign'],
    isOf: (wanted: readonly string[], { operation }: AskedRequest) => wanted.includes(operation),
  },
  initiators: {
    name: 'initiators',
    field: 'initiators',
    stated: statedInitiators,
    keep: (who: s.OutputOf<typeof statedInitiators>): Initiators =>
      who === 'anyone'
        ? who
        : { userIds: who.user_ids ?? [], userGroupIds: who.user_group_ids ?? [] },
    /** A rule without it names nobody: a reader of the rule looks first for who may sign. */
    findFault: (who: Initiators | undefined, { then }: ConditionedRule) =>
      who === undefined && then !== 'deny'
        ? 'a rule that does not deny must name users, user groups or "anyone"'
        : undefined,
    unstated: (denies: boolean): Initiators => (denies ? 'anyone' : NOBODY),
    isOf: (wanted: Initiators, { initiator }: AskedRequest) => isNamed(wanted, initiator),
  },
  networks: { name: 'networks', field: 'networks', ...listOf(s.string().max(64)) },
  assets: { name: 'assets', field: 'assets', ...listOf(visibleText(256)) },
  destinations: { name: 'destinations', field: 'destinations', ...listOf(visibleText(256), 1_000) },
  destinationLists: {
    name: 'destination_lists',
    field: 'destinationLists',
    ...listOf(id, 10),
    findFault: (lists: readonly string[] | undefined, { when }: ConditionedRule) =>
      lists !== undefined && when['destinations'] !== undefined
        ? 'name addresses or address lists, not both: an address can be put into a list'
        : undefined,
  },
  time: {
    name: 'time',
    field: 'time',
    stated: statedTime,
    keep: (window: s.OutputOf<typeof statedTime>): TimeWindow => ({
      ...(window.days !== undefined && { days: [...new Set(window.days)] }),
      ...(window.from !== undefined && { from: window.from }),
      ...(window.to !== undefined && { to: window.to }),
      timeZone: window.time_zone,
    }),
  },
  venueIds: {
    name: 'venue_ids',
    field: 'venueIds',
    ...listOf(s.string().max(64)),
    isOf: (wanted: readonly string[], { venueId }: AskedRequest) => wanted.includes(venueId ?? ''),
  },
  operationClasses: {
    name: 'operation_classes',
    field: 'operationClasses',
    ...listOf(s.words(OPERATION_CLASSES)),
    unstated: (denies: boolean): readonly OperationClass[] =>
      denies ? OPERATION_CLASSES : UNNAMED_CLASSES,
  },
  endpoints: { name: 'endpoints', field: 'endpoints', ...listOf(visibleText(256)) },
  symbols: { name: 'symbols', field: 'symbols', ...listOf(visibleText(64)) },
  sides: { name: 'sides', field: 'sides', ...listOf(s.words(['buy', 'sell'])) },
  amount: { name: 'amount', field: 'amount', ...BOUNDS },
  quoteAmount: { name: 'quote_amount', field: 'quoteAmount', ...BOUNDS },
  contracts: { name: 'contracts', field: 'contracts', ...BOUNDS },
  usdValue: { name: 'usd_value', field: 'usdValue', ...BOUNDS, needsPrices: () => true },
  velocity: {
    name: 'velocity',
    field: 'velocity',
    stated: statedVelocity,
    keep: ({ limit, unit, window_s: windowS, per }: s.OutputOf<typeof statedVelocity>) =>
      ({ limit, unit, windowS, per }) as VelocityLimit,
    findFault: (kept: VelocityLimit | undefined, rule: ConditionedRule) =>
      kept === undefined ? undefined : findLimitFault(kept, rule),
    needsPrices: ({ unit }: VelocityLimit) => unit === 'usd',
  },
} as const;

type Forms = typeof FORMS;
type FieldName = keyof Forms;

export const CONDITION_FORMS: readonly ConditionForm[] = Object.values(FORMS);

/** The form that the state keeps. Absent: any. */
export type RuleConditions = {
  readonly [Field in FieldName]?: ReturnType<Forms[Field]['keep']> | undefined;
};

type Optional<Of extends s.AnyShape> = s.Shape<
  s.OutputOf<Of> | undefined,
  s.InputOf<Of> | undefined,
  true
>;

/** The fields of a request that states conditions. */
export const STATED_FIELDS = Object.fromEntries(
  CONDITION_FORMS.map(({ name, stated }) => [name, stated.optional()]),
) as { readonly [Field in FieldName as Forms[Field]['name']]: Optional<Forms[Field]['stated']> };

/** Converts conditions to the state's form; `stated` has a request's, by name. */
export function keptConditions(stated: Readonly<Record<string, unknown>>): RuleConditions {
  return Object.fromEntries(
    CONDITION_FORMS.flatMap(({ name, field, keep }) =>
      stated[name] === undefined ? [] : [[field, keep(stated[name])]],
    ),
  );
}

/** The value that the rule wants for it; undefined for any. */
export function wantedBy(
  { when, then }: ConditionedRule,
  { field, unstated }: Pick<ConditionForm, 'field' | 'unstated'>,
): unknown {
  return when[field] ?? unstated?.(then === 'deny');
}

const PRICED = CONDITION_FORMS.filter((form) => form.needsPrices !== undefined);

/** The first condition that cannot be decided without prices. */
export function pricedBy(when: KeptConditions): ConditionForm | undefined {
  return PRICED.find(
    ({ field, needsPrices }) => when[field] !== undefined && needsPrices!(when[field]),
  );
}
