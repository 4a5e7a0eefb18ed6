/** What a signing rule states, and what it covers without stating it. */
import type { AmountBounds, Rule, RuleConditions } from '../state/state.js';
import {
  OPERATION_CLASSES,
  type OperationClass,
  type SizeUnit,
  type VenueCondition,
} from '@countersign/venues/engine/venue.js';

/** The classes that an allowing rule covers without naming them. */
const UNNAMED_CLASSES: readonly OperationClass[] = ['read', 'cancel', 'trade'];

/** Its conditions on the content of a venue request, in the order in which they are tested. */
export function statedConditions(when: RuleConditions): VenueCondition[] {
  return [
    ...(['endpoints', 'symbols', 'sides'] as const).filter((name) => when[name] !== undefined),
    ...statedSizes(when),
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

/** The operation classes of the venue requests that the rule speaks of. */
export function classesOf({ when, then }: Rule): readonly OperationClass[] {
  return when.operationClasses ?? (then === 'allow' ? UNNAMED_CLASSES : OPERATION_CLASSES);
}

/** Whether every item of `inner` is one of `outer`. */
export function isSubset(inner: readonly string[], outer: readonly string[]): boolean {
  return inner.every((item) => outer.includes(item));
}
