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
import type { VenueCondition, VenueFacts } from '@countersign/venues/engine/venue.js';
import { compareDecimals, isDecimal } from '@countersign/core/decimal.js';
import { classesOf, statedConditions, type ConditionTest } from './rule-conditions.js';

/**
 * Whether the venue conditions of a rule hold. `facts` is undefined for what is no venue request: such a
 * rule does not match then.
 */
export function testVenueConditions(rule: Rule, facts: VenueFacts | undefined): ConditionTest {
  const stated = statedConditions(rule.when);
  if (facts === undefined) {
    // where a transaction goes is told by who reads transactions
    const [first] = stated.filter((condition) => condition !== 'destinations');
    const condition = rule.when.operationClasses === undefined ? first : 'operation_classes';
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

function testCondition(rule: Rule, condition: VenueCondition, facts: VenueFacts): ConditionTest {
  if (isUndecidable(condition, facts)) {
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

function isUndecidable(condition: VenueCondition, facts: VenueFacts): boolean {
  switch (condition) {
    case 'endpoints':
      return false;
    case 'destinations':
      // what else goes nowhere outside the account says nothing of a destination
      return (
        facts.destinations === undefined &&
        (facts.operationClass === 'withdraw' || facts.operationClass === 'unknown')
      );
    default:
      return facts.undecidable.includes(condition);
  }
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
    case 'destinations':
      return facts.destinations ?? [];
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
    case 'destinations':
      return when.destinations?.includes(value) === true;
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
