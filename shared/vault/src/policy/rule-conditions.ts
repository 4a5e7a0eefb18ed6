/** What a signing rule states, and what it covers without stating it. */
import { compareDecimals } from '@countersign/core/decimal.js';
import type { AmountBounds, Initiators, Rule, RuleConditions } from '../state/state.js';
import {
  SIGNING_OPERATION_NAMES,
  type SigningOperationName,
  type VelocityUnit,
} from '@countersign/core/vocabulary.js';
import {
  OPERATION_CLASSES,
  type OperationClass,
  type SizeUnit,
  type VenueCondition,
} from '@countersign/venues/engine/venue.js';

/** What a condition of a rule comes to for one request, or several: the first that does not hold or cannot be told. */
export type ConditionTest =
  | { readonly result: 'holds' }
  | { readonly result: 'fails'; readonly condition: string }
  | { readonly result: 'error'; readonly condition: string; readonly reason: string };

/** The classes that an allowing rule covers without naming them. */
const UNNAMED_CLASSES: readonly OperationClass[] = ['read', 'cancel', 'trade'];

/** As the API and refusals call them. */
export const CONDITION_NAMES: Readonly<Record<keyof RuleConditions, string>> = {
  operations: 'operations',
  initiators: 'initiators',
  networks: 'networks',
  assets: 'assets',
  destinations: 'destinations',
  time: 'time',
  venueIds: 'venue_ids',
  operationClasses: 'operation_classes',
  endpoints: 'endpoints',
  symbols: 'symbols',
  sides: 'sides',
  amount: 'amount',
  quoteAmount: 'quote_amount',
  contracts: 'contracts',
  usdValue: 'usd_value',
  velocity: 'velocity',
};

/** The names of all conditions that it states. */
export function statedNames(when: RuleConditions): string[] {
  return Object.entries(CONDITION_NAMES).flatMap(([field, name]) =>
    when[field as keyof RuleConditions] === undefined ? [] : [name],
  );
}

/** Its conditions on the content of a venue request, in the order in which they are tested. */
export function statedConditions(when: RuleConditions): VenueCondition[] {
  return [
    ...(['endpoints', 'symbols', 'sides'] as const).filter((name) => when[name] !== undefined),
    ...statedSizes(when),
    ...(when.destinations === undefined ? [] : (['destinations'] as const)),
  ];
}

export const SIZE_UNITS: readonly SizeUnit[] = ['amount', 'quote_amount', 'contracts'];

/** The units in which it bounds how much. */
export function statedSizes(when: RuleConditions): SizeUnit[] {
  return SIZE_UNITS.filter((unit) => boundsOf(when, unit) !== undefined);
}

export function boundsOf(when: RuleConditions, unit: SizeUnit): AmountBounds | undefined {
  switch (unit) {
    case 'amount':
      return when.amount;
    case 'quote_amount':
      return when.quoteAmount;
    case 'contracts':
      return when.contracts;
  }
}

/** The parts of a venue request that a limit counts by, or a value is computed of; a venue's signature must bind them. */
export function countedConditions(when: RuleConditions): readonly VenueCondition[] {
  const counted = when.velocity === undefined ? [] : CONDITIONS_OF[when.velocity.unit];
  return when.usdValue === undefined ? counted : [...counted, ...PRICED_BY];
}

/** The parts by which a venue request is valued in USD. */
export const PRICED_BY = ['symbols', 'amount', 'quote_amount'] as const;

const CONDITIONS_OF: Readonly<Record<VelocityUnit, readonly VenueCondition[]>> = {
  count: [],
  amount: ['amount'],
  quote_amount: ['quote_amount'],
  usd: PRICED_BY,
};

/** Whether it cannot be decided without prices. */
export function needsPrices({ usdValue, velocity }: RuleConditions): boolean {
  return usdValue !== undefined || velocity?.unit === 'usd';
}

export function isWithinBounds({ min, max }: AmountBounds, value: string): boolean {
  return (
    (min === undefined || compareDecimals(value, min) >= 0) &&
    (max === undefined || compareDecimals(value, max) <= 0)
  );
}

/** Whether a rule with these conditions speaks of what is in a request: of bytes as they are nothing is known. */
export function speaksOfContent(when: RuleConditions): boolean {
  return (
    when.networks !== undefined ||
    when.assets !== undefined ||
    when.operationClasses !== undefined ||
    needsPrices(when) ||
    statedConditions(when).length > 0
  );
}

/** The operation classes of the venue requests that the rule speaks of. */
export function classesOf({ when, then }: Rule): readonly OperationClass[] {
  return when.operationClasses ?? (then === 'deny' ? OPERATION_CLASSES : UNNAMED_CLASSES);
}

/**
 * What is asked for, as far as the rule speaks of it. Raw signing is a bypass of every content rule: a rule that
 * allows must name it, silence never covers it; one that denies stops it with everything else.
 */
export function operationsOf({ when, then }: Rule): readonly SigningOperationName[] {
  return when.operations ?? (then === 'deny' ? SIGNING_OPERATION_NAMES : ['sign']);
}

const NOBODY: Initiators = { userIds: [], userGroupIds: [] };

/** Who asks, as far as the rule speaks of them: a rule that denies speaks of everybody, any other of whom it names. */
export function initiatorsOf({ when, then }: Rule): Initiators {
  return when.initiators ?? (then === 'deny' ? 'anyone' : NOBODY);
}

/** Whether every item of `inner` is one of `outer`. */
export function isSubset(inner: readonly string[], outer: readonly string[]): boolean {
  return inner.every((item) => outer.includes(item));
}
