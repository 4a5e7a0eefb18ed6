import { BOUNDS_FORM, boundsCover, isWithin } from './bounds.js';
import type { AmountBounds } from './kept-conditions.js';
import type { Condition } from './condition.js';
import { FORMS } from './condition-forms.js';
import { heldIf, untold } from './tested.js';

/** The parts by which a venue request is valued. */
export const PRICED_BY = ['symbols', 'amount', 'quote_amount'] as const;

export const usdValue = {
  ...FORMS.usdValue,
  text: 'Inclusive bounds on what the request is worth in US dollars: the sum of all that it orders or moves, at the prices that the parties have. A request that cannot be valued is denied: a market with unknown assets, contracts, an order without a size, no price or an old one. A request that orders and moves nothing does not match. Answers 422 unless the setting `usd_value_conditions_enabled` is on. Absent: any.',
  ...BOUNDS_FORM,
  words: {
    form: 'bounds',
    label: 'Value',
    unit: 'US dollars',
    remark: 'of all that is ordered or moved; needs prices',
  },
  turn: 'worth',
  parts: () => PRICED_BY,
  test(bounds, { worth }) {
    const valued = worth();
    if ('reason' in valued) return untold(valued.reason);
    return heldIf(valued.result === 'valued' && isWithin(bounds, valued.value));
  },
  covers: boundsCover,
  bounds: ['withdraw', 'transfer'],
  cap: ({ max }) => max,
} as const satisfies Condition<AmountBounds>;
