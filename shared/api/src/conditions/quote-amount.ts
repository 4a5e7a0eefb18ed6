import type { AmountBounds } from './kept-conditions.js';
import type { Condition } from './condition.js';
import { FORMS } from './condition-forms.js';
import { heldIf } from './tested.js';
import { SIZE_FORM, testSizes } from './sizes.js';

export const quoteAmount = {
  ...FORMS.quoteAmount,
  text: 'Inclusive bounds, in units of what the market is quoted in, for orders that state their cost; otherwise as `amount`. Absent: any.',
  ...SIZE_FORM,
  words: {
    form: 'bounds',
    label: 'Quote amount',
    unit: { side: 'quote', otherwise: 'of what the market is priced in' },
    remark: 'only of orders that state it instead of an amount',
  },
  reads: ['venue_request'],
  parts: () => ['quote_amount'],
  test: (_bounds, { request: { venue } }, rule) =>
    venue === undefined ? heldIf(false) : testSizes('quote_amount', rule, venue),
} as const satisfies Condition<AmountBounds>;
