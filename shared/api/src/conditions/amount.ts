import { assets } from './assets.js';
import { isWithin } from './bounds.js';
import type { AmountBounds } from './kept-conditions.js';
import type { ComparedRules, Condition } from './condition.js';
import { FORMS } from './condition-forms.js';
import { heldIf, keptOf } from './tested.js';
import { networks } from './networks.js';
import { SIZE_FORM, testSizes } from './sizes.js';

export const amount = {
  ...FORMS.amount,
  text: 'Inclusive bounds, in units of the traded or moved asset: a rule that allows must cover every amount of the request, one that denies needs one. Of a transaction they bound the sum that it moves of the one asset that `assets` names, in whole coins. With none or several of `assets` no transaction matches. An asset that is not in the list of networks is denied. Absent: any. A rule that has one of `amount`, `quote_amount` and `contracts` denies what states its size in another unit than those that it has.',
  ...SIZE_FORM,
  words: {
    form: 'bounds',
    label: 'Amount',
    unit: { side: 'base', otherwise: 'of what is traded or moved' },
  },
  reads: ['transaction', 'venue_request'],
  findDeadEnd(_bounds, { when }) {
    const named = keptOf(assets, when);
    const isOfTransactions = named !== undefined || keptOf(networks, when) !== undefined;
    return isOfTransactions && named?.length !== 1
      ? 'a venue request has no network and no assets, and of a transaction amount bounds the one that assets names'
      : undefined;
  },
  parts: () => ['amount'],
  test(bounds, { request: { venue }, moved }, rule) {
    if (venue !== undefined) return testSizes('amount', rule, venue);
    const all = moved(keptOf(assets, rule.when));
    if (all.result === 'error') return all;
    return heldIf(all.result === 'moved' && isWithin(bounds, all.amount));
  },
  covers(wide, narrow: AmountBounds | undefined, rules: ComparedRules) {
    // without the asset, the earlier rule bounds nothing in a transaction
    const isOfOneAsset = keptOf(assets, rules.outer.when)?.length === 1;
    const namesNone = keptOf(assets, rules.inner.when) === undefined;
    return (namesNone || isOfOneAsset) && SIZE_FORM.covers(wide, narrow, rules);
  },
  bounds: ['withdraw', 'transfer'],
  cap: ({ max }) => max,
} as const satisfies Condition<AmountBounds>;
