/** Bounds on a number: decimal strings, both inclusive. */
import { compareDecimals, isDecimal } from '@countersign/core/decimal.js';
import * as s from '@countersign/core/shapes.js';

export interface AmountBounds {
  readonly min?: string | undefined;
  readonly max?: string | undefined;
}

export const decimal = s.string().refine(isDecimal, 'must be an unsigned decimal number');

const stated = s
  .strictObject({
    min: decimal
      .optional()
      .describe('Lower bound, inclusive: a decimal string such as `0.01`. Absent: none.'),
    max: decimal
      .optional()
      .describe('Upper bound, inclusive: a decimal string such as `0.01`. Absent: none.'),
  })
  .refine(({ min, max }) => min !== undefined || max !== undefined, 'must state min or max')
  .refine(
    // runs also for a bound that is no decimal: the bound's own check names that, and comparing would throw
    ({ min = '0', max = min }) =>
      !isDecimal(min) || !isDecimal(max) || compareDecimals(min, max) <= 0,
    'can never match: min is above max',
  );

const shown = s.strictObject({
  min: s.string().optional().describe('Lower bound, inclusive: a decimal string. Absent: none.'),
  max: s.string().optional().describe('Upper bound, inclusive: a decimal string. Absent: none.'),
});

/** Converts bounds between the forms in which a condition states, keeps and shows them. */
export const BOUNDS_FORM = {
  stated,
  shown,
  keep: (bounds: AmountBounds): AmountBounds => bounds,
  show: (bounds: AmountBounds): AmountBounds => ({ ...bounds }),
};

export function isWithin({ min, max }: AmountBounds, value: string): boolean {
  return (
    (min === undefined || compareDecimals(value, min) >= 0) &&
    (max === undefined || compareDecimals(value, max) <= 0)
  );
}

export function boundsCover(outer: AmountBounds, inner: AmountBounds | undefined): boolean {
  if (inner === undefined) return false;
  const { min: outerMin, max: outerMax } = outer;
  const { min, max } = inner;
  return (
    (outerMin === undefined || (min !== undefined && compareDecimals(min, outerMin) >= 0)) &&
    (outerMax === undefined || (max !== undefined && compareDecimals(max, outerMax) <= 0))
  );
}
