/**
 * Conditions of a signing rule that speak of a venue request: what it does, and what it carries.
 *
 * A request may carry several symbols or amounts at once (a batch of orders). A rule that allows must
 * cover all of them; a rule that denies needs one. What the request does not carry matches no condition;
 * what it carries and nobody can compare, or what the venue's signature does not bind, is an error, and
 * an error denies the whole request.
 */
import type { AmountBounds, Rule, RuleConditions } from '../state/state.js';
import { findVenue } from '@countersign/venues/venue-catalogue.js';
import {
  OPERATION_CLASSES,
  type OperationClass,
  type VenueCondition,
  type VenueFacts,
} from '@countersign/venues/engine/venue.js';
import { compareDecimals, isDecimal } from '@countersign/core/decimal.js';

/**
 * What the venue conditions of one rule come to for one request; `condition` is the first that does not
 * hold or cannot be told.
 */
export type VenueTest =
  | { readonly result: 'holds' }
  | { readonly result: 'fails'; readonly condition: string }
  | { readonly result: 'error'; readonly condition: string; readonly reason: string };

/** The classes that an allowing rule covers without naming them. */
const UNNAMED_CLASSES: readonly OperationClass[] = ['read', 'trade'];

/**
 * Whether the venue conditions of a rule hold. `facts` is undefined for what is no venue request: such a
 * rule does not match then.
 */
export function testVenueConditions(rule: Rule, facts: VenueFacts | undefined): VenueTest {
  const stated = statedConditions(rule.when);
  if (facts === undefined) {
    const condition = rule.when.operationClasses === undefined ? stated[0] : 'operation_classes';
    return condition === undefined ? { result: 'holds' } : { result: 'fails', condition };
  }
  if (!classesOf(rule).includes(facts.operationClass)) {
    return { result: 'fails', condition: 'operation_classes' };
  }
  const venue = findVenue(facts.venueId);
  for (const condition of stated) {
    const unbindable = venue?.unbindable(condition);
    if (unbindable !== undefined) return { result: 'error', condition, reason: unbindable };
    const tested = testCondition(rule, condition, facts);
    if (tested.result !== 'holds') return tested;
  }
  return { result: 'holds' };
}

function testCondition(rule: Rule, condition: VenueCondition, facts: VenueFacts): VenueTest {
  if (condition !== 'endpoints' && facts.undecidable.includes(condition)) {
    const reason = `this request's ${condition} cannot be compared`;
    return { result: 'error', condition, reason };
  }
  const values = valuesOf(condition, facts);
  if (condition === 'amount' && !values.every(isDecimal)) {
    return { result: 'error', condition, reason: 'an amount is not a decimal number' };
  }
  const matches = (value: string) => isWithin(rule.when, condition, value);
  const holds =
    values.length > 0 && (rule.then === 'deny' ? values.some(matches) : values.every(matches));
  return holds ? { result: 'holds' } : { result: 'fails', condition };
}

function valuesOf(condition: VenueCondition, facts: VenueFacts): readonly string[] {
  switch (condition) {
    case 'endpoints':
      return facts.endpoint === '' ? [] : [facts.endpoint];
    case 'symbols':
      return facts.symbols;
    case 'sides':
      return facts.sides;
    case 'amount':
      return facts.amounts;
  }
}

function isWithin(when: RuleConditions, condition: VenueCondition, value: string): boolean {
  switch (condition) {
    case 'endpoints':
      return when.endpoints?.includes(value) === true;
    case 'symbols':
      // a venue may take a symbol in either case
      return when.symbols?.some((symbol) => upper(symbol) === upper(value)) === true;
    case 'sides':
      return when.sides?.some((side) => side === value) === true;
    case 'amount':
      return isWithinBounds(when.amount ?? {}, value);
  }
}

function upper(text: string): string {
  return text.replace(/[a-z]/g, (letter) => letter.toUpperCase());
}

function isWithinBounds({ min, max }: AmountBounds, value: string): boolean {
  return (
    (min === undefined || compareDecimals(value, min) >= 0) &&
    (max === undefined || compareDecimals(value, max) <= 0)
  );
}

function statedConditions(when: RuleConditions): VenueCondition[] {
  return (['endpoints', 'symbols', 'sides', 'amount'] as const).filter(
    (condition) => when[condition] !== undefined,
  );
}

function classesOf({ when, then }: Rule): readonly OperationClass[] {
  return when.operationClasses ?? (then === 'allow' ? UNNAMED_CLASSES : OPERATION_CLASSES);
}

/** Why a rule with this condition cannot hold at one of the venues, or undefined. */
export function findUnbindableCondition(
  when: RuleConditions,
  venueIds: readonly string[],
): string | undefined {
  for (const venueId of venueIds) {
    for (const condition of statedConditions(when)) {
      const reason = findVenue(venueId)?.unbindable(condition);
      if (reason !== undefined) return `${condition}: ${reason}`;
    }
  }
  return undefined;
}

/** Why no venue request can ever match, or undefined. */
export function findImpossibleVenueCondition({ when }: Rule): string | undefined {
  const stated = statedConditions(when);
  const isVenueRule = when.operationClasses !== undefined || stated.length > 0;
  if (!isVenueRule) return undefined;
  if (when.operations?.includes('sign') === false) {
    return 'can never match: raw_sign is no venue request';
  }
  if (when.networks !== undefined) return 'can never match: a venue request has no network';
  const { operationClasses } = when;
  const content = stated.find((condition) => condition !== 'endpoints');
  if (content !== undefined && operationClasses?.every((name) => name === 'session') === true) {
    return `can never match: a session carries no ${content}, and binds nothing that follows it`;
  }
  return undefined;
}

/** Whether the venue conditions of `outer` match whenever those of `inner` do. */
export function venueConditionsCover(outer: Rule, inner: Rule): boolean {
  const lists = [
    [outer.when.venueIds, inner.when.venueIds],
    [outer.when.endpoints, inner.when.endpoints],
    [outer.when.symbols, inner.when.symbols],
    [outer.when.sides, inner.when.sides],
  ] as const;
  const stated = statedConditions(outer.when);
  if (outer.when.operationClasses !== undefined && inner.when.operationClasses === undefined) {
    return false; // the inner one speaks of transactions too
  }
  // a rule with networks speaks of transactions alone
  const speaksOfVenues = inner.when.networks === undefined;
  if (speaksOfVenues && !isSubset(classesOf(inner), classesOf(outer))) return false;
  // all of the values on one side and any of them on the other: neither follows from the other
  if (stated.length > 0 && outer.then !== inner.then) return false;
  // a condition that cannot be evaluated decides by itself: both must meet the same ones in the same order
  const inInner = statedConditions(inner.when);
  if (!stated.every((condition, index) => condition === inInner[index])) return false;
  return (
    lists.every(([wide, narrow]) => {
      if (wide === undefined) return true;
      return narrow !== undefined && isSubset(narrow, wide);
    }) && boundsCover(outer.when.amount, inner.when.amount)
  );
}

function boundsCover(outer: AmountBounds | undefined, inner: AmountBounds | undefined): boolean {
  if (outer === undefined) return true;
  if (inner === undefined) return false;
  const { min: outerMin, max: outerMax } = outer;
  const { min, max } = inner;
  const minCovers =
    outerMin === undefined || (min !== undefined && compareDecimals(min, outerMin) >= 0);
  const maxCovers =
    outerMax === undefined || (max !== undefined && compareDecimals(max, outerMax) <= 0);
  return minCovers && maxCovers;
}

/** Whether every item of `inner` is one of `outer`. */
export function isSubset(inner: readonly string[], outer: readonly string[]): boolean {
  return inner.every((item) => outer.includes(item));
}
