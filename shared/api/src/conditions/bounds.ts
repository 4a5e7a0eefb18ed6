/** Bounds on a number: decimal strings, both inclusive. */
import { compareDecimals } from '@countersign/core/decimal.js';
import * as s from '@countersign/core/shapes.js';
import type { AmountBounds } from './kept-conditions.js';

const shown = s.strictObject({
  min: s.string().optional().describe('Lower bound, inclusive: a decimal string. Absent: none.'),
  max: s.string().optional().describe('Upper bound, inclusive: a decimal string. Absent: none.'),
});

const TEXTS = {
  min: 'Lower bound, inclusive: a decimal string such as `0.01`. Absent: none.',
  max: 'Upper bound, inclusive: a decimal string such as `0.01`. Absent: none.',
};

/** How bounds are described and shown. */
export const BOUNDS_FORM = {
  fieldTexts: TEXTS,
  shown,
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
