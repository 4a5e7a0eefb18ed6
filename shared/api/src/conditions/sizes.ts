/**
 * `amount`, `quote_amount` and `contracts` are one condition on size: whatever unit a venue request states its size
 * in, the rule must bound that unit. A size in a unit that the rule leaves open cannot be told: if it were passed
 * over, it would have no bound.
 */
import { isDecimal } from '@countersign/core/decimal.js';
import type { SizeUnit, VenueFacts } from '@countersign/venues/engine/venue-facts.js';
import { BOUNDS_FORM, boundsCover, isWithin } from './bounds.js';
import type { AmountBounds } from './kept-conditions.js';
import type { ComparedRules, ConditionedRule, KeptConditions, Tested } from './condition.js';
import { heldOf, untold } from './tested.js';

interface Size {
  readonly field: string;
  readonly says: string;
  valuesIn(facts: VenueFacts): readonly string[];
}

const SIZES: Readonly<Record<SizeUnit, Size>> = {
  amount: {
    field: 'amount',
    says: 'an amount of the asset',
    valuesIn: ({ amounts }) => amounts,
  },
  quote_amount: {
    field: 'quoteAmount',
    says: 'an amount in the quote currency',
    valuesIn: ({ quoteAmounts }) => quoteAmounts,
  },
  contracts: {
    field: 'contracts',
    says: 'a number of contracts',
    valuesIn: ({ contracts }) => contracts,
  },
};
const UNITS = Object.keys(SIZES) as SizeUnit[];

/** The common part of the conditions of all three units. */
export const SIZE_FORM = {
  ...BOUNDS_FORM,
  turn: 'content' as const,
  covers(
    wide: AmountBounds,
    narrow: AmountBounds | undefined,
    { outer, inner, readAlike }: ComparedRules,
  ): boolean {
    // with another unit, the inner rule could fail to be told in one more way
    const isNoWider = statedUnits(inner.when).length <= statedUnits(outer.when).length;
    return readAlike && isNoWider && boundsCover(wide, narrow);
  },
};

function statedUnits(when: KeptConditions): SizeUnit[] {
  return UNITS.filter((unit) => boundsOn(unit, when) !== undefined);
}

function boundsOn(unit: SizeUnit, when: KeptConditions): AmountBounds | undefined {
  return when[SIZES[unit].field] as AmountBounds | undefined;
}

/** Whether contracts are bounded without symbols: in every market a contract is worth something else. */
export function isLoose({ when }: ConditionedRule): boolean {
  return boundsOn('contracts', when) !== undefined && when['symbols'] === undefined;
}

/** Tests all sizes of a venue request, in any unit; `asked` is the condition that asks. */
export function testSizes(asked: SizeUnit, rule: ConditionedRule, facts: VenueFacts): Tested {
  const { when } = rule;
  if (facts.undecidable.includes('amount')) {
    return untold("this request's amount cannot be compared");
  }
  if (isLoose(rule)) {
    const reason = 'contracts count something else in every market: the rule names no symbols';
    return { result: 'error', condition: 'contracts', reason };
  }
  const sizes = UNITS.flatMap((unit) =>
    SIZES[unit].valuesIn(facts).map((value) => ({ unit, value, bounds: boundsOn(unit, when) })),
  );
  if (!sizes.every(({ value }) => isDecimal(value))) {
    return untold('an amount is not a decimal number');
  }
  const open = sizes.find(({ bounds }) => bounds === undefined);
  if (open !== undefined) {
    return untold(`this request states ${SIZES[open.unit].says}, which the rule does not bound`);
  }
  const isBounded = ({ value, bounds = {} }: (typeof sizes)[number]) => isWithin(bounds, value);
  const tested = heldOf(sizes, rule, isBounded);
  if (tested.result === 'holds') return tested;
  return { result: 'fails', condition: sizes.find((size) => !isBounded(size))?.unit ?? asked };
}
