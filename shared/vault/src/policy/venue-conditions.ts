/**
 * Conditions of a signing rule that speak of a venue request: what it does, and what it carries.
 *
 * A request may carry several symbols or amounts at once (a batch of orders). A rule that allows must
 * cover all of them; a rule that denies needs one. What the request does not carry matches no condition;
 * what it carries and nobody can compare, or what the venue's signature does not bind, is an error, and
 * an error denies the whole request.
 *
 * `amount`, `quote_amount` and `contracts` are one condition, on how much: whatever unit a request states its size in,
 * the rule must bound that unit. A size in one that it leaves open is an error too: passed over, it would have no bound.
 */
import type { Rule, RuleConditions } from '../state/state.js';
import { findVenue } from '@countersign/venues/venue-catalogue.js';
import type { SizeUnit, VenueCondition, VenueFacts } from '@countersign/venues/engine/venue.js';
import { isDecimal } from '@countersign/core/decimal.js';
import {
  boundsOf,
  classesOf,
  isWithinBounds,
  SIZE_UNITS,
  statedConditions,
  statedSizes,
  type ConditionTest,
} from './rule-conditions.js';

/**
 * Whether the venue conditions of a rule hold. `facts` is undefined for what is no venue request: such a
 * rule does not match then, save for `elsewhere`: what is told by who reads transactions.
 */
export function testVenueConditions(
  rule: Rule,
  facts: VenueFacts | undefined,
  elsewhere: readonly VenueCondition[] = ['destinations'],
): ConditionTest {
  const stated = statedConditions(rule.when);
  if (facts === undefined) {
    const [first] = stated.filter((condition) => !elsewhere.includes(condition));
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
    const tested = isListed(condition)
      ? testListed(rule, condition, facts)
      : testSizes(rule, facts, condition);
    if (tested.result !== 'holds') return tested;
  }
  return { result: 'holds' };
}

type ListedCondition = Exclude<VenueCondition, SizeUnit>;

function isListed(condition: VenueCondition): condition is ListedCondition {
  return SIZE_UNITS.every((unit) => unit !== condition);
}

function testListed(rule: Rule, condition: ListedCondition, facts: VenueFacts): ConditionTest {
  if (isUndecidable(condition, facts)) {
    return notComparable(condition, condition);
  }
  const values = valuesOf(condition, facts);
  const matches = (value: string) => isListedIn(rule.when, condition, value);
  const holds =
    values.length > 0 && (rule.then === 'deny' ? values.some(matches) : values.every(matches));
  return holds ? { result: 'holds' } : { result: 'fails', condition };
}

function isUndecidable(condition: ListedCondition, facts: VenueFacts): boolean {
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

function notComparable(condition: VenueCondition, what: string): ConditionTest {
  return { result: 'error', condition, reason: `this request's ${what} cannot be compared` };
}

function valuesOf(condition: ListedCondition, facts: VenueFacts): readonly string[] {
  switch (condition) {
    case 'endpoints':
      return facts.endpoint === '' ? [] : [facts.endpoint];
    case 'symbols':
      return facts.symbols;
    case 'sides':
      return facts.sides;
    case 'destinations':
      return facts.destinations ?? [];
  }
}

function isListedIn(when: RuleConditions, condition: ListedCondition, value: string): boolean {
  switch (condition) {
    case 'endpoints':
      return when.endpoints?.includes(value) === true;
    case 'symbols':
      // a venue may take a symbol in either case
      return when.symbols?.some((symbol) => upper(symbol) === upper(value)) === true;
    case 'sides':
      return when.sides?.some((side) => side === value) === true;
    case 'destinations':
      return when.destinations?.includes(value) === true;
  }
}

/** All sizes of the request, in whatever unit; `asked` is the rule's condition that asks for it. */
function testSizes(rule: Rule, facts: VenueFacts, asked: SizeUnit): ConditionTest {
  const { when } = rule;
  if (facts.undecidable.includes('amount')) return notComparable(asked, 'amount');
  if (when.contracts !== undefined && when.symbols === undefined) {
    const reason = 'contracts count something else in every market: the rule names no symbols';
    return { result: 'error', condition: 'contracts', reason };
  }
  const sizes = SIZE_UNITS.flatMap((unit) =>
    sizesIn(unit, facts).map((value) => ({ unit, value })),
  );
  const wrong = sizes.find(({ value }) => !isDecimal(value));
  if (wrong !== undefined) {
    return { result: 'error', condition: asked, reason: 'an amount is not a decimal number' };
  }
  const stated = statedSizes(when);
  const open = sizes.find(({ unit }) => !stated.includes(unit));
  if (open !== undefined) {
    const reason = `this request states ${UNIT_TEXTS[open.unit]}, which the rule does not bound`;
    return { result: 'error', condition: asked, reason };
  }
  const isWithin = ({ unit, value }: Size) => isWithinBounds(boundsOf(when, unit) ?? {}, value);
  const holds = rule.then === 'deny' ? sizes.some(isWithin) : sizes.every(isWithin);
  if (sizes.length > 0 && holds) return { result: 'holds' };
  return { result: 'fails', condition: sizes.find((size) => !isWithin(size))?.unit ?? asked };
}

interface Size {
  readonly unit: SizeUnit;
  readonly value: string;
}

const UNIT_TEXTS: Readonly<Record<SizeUnit, string>> = {
  amount: 'an amount of the asset',
  quote_amount: 'an amount in the quote currency',
  contracts: 'a number of contracts',
};

function sizesIn(unit: SizeUnit, facts: VenueFacts): readonly string[] {
  switch (unit) {
    case 'amount':
      return facts.amounts;
    case 'quote_amount':
      return facts.quoteAmounts;
    case 'contracts':
      return facts.contracts;
  }
}

function upper(text: string): string {
  return text.replace(/[a-z]/g, (letter) => letter.toUpperCase());
}
