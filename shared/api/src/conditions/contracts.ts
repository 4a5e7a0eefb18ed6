import type { AmountBounds } from './kept-conditions.js';
import type { Condition } from './condition.js';
import { FORMS } from './condition-forms.js';
import { heldIf } from './tested.js';
import { isLoose, SIZE_FORM, testSizes } from './sizes.js';

export const contracts = {
  ...FORMS.contracts,
  text: 'Inclusive bounds on a number of contracts, for markets whose orders count them; otherwise as `amount`. Only beside `symbols`: in every market a contract is worth something else. Absent: any.',
  ...SIZE_FORM,
  words: {
    form: 'bounds',
    label: 'Contracts',
    unit: 'contracts',
    remark: 'only in a rule with symbols',
  },
  findSlip: (_bounds, rule) =>
    isLoose(rule) ? 'count something else in every market: state them beside symbols' : undefined,
  reads: ['venue_request'],
  parts: () => ['contracts'],
  test: (_bounds, { request: { venue } }, rule) =>
    venue === undefined ? heldIf(false) : testSizes('contracts', rule, venue),
} as const satisfies Condition<AmountBounds>;
