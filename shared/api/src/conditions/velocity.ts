/** How much a rule may allow in a rolling window. Whoever signs requests counts them. */
import * as s from '@countersign/core/shapes.js';
import {
  VELOCITY_SCOPES,
  VELOCITY_UNITS,
  type VelocityUnit,
} from '@countersign/core/vocabulary.js';
import type { VenueCondition } from '@countersign/venues/engine/venue-facts.js';
import type { Condition } from './condition.js';
import type { VelocityLimit } from './kept-conditions.js';
import { FORMS } from './condition-forms.js';
import { PRICED_BY } from './usd-value.js';

const TEXTS = {
  limit:
    'What the window may hold, inclusive: a decimal string, whole for `count`; `0` allows nothing.',
  unit: 'What is counted. `count`: requests, each signed one once. `amount` and `quote_amount`: amounts of venue requests in that unit. They need `symbols` beside them, because amounts of different assets are added up as they are. `amount` counts transactions, too, where exactly one of `assets` is stated: all that they move of it, in whole coins. A request that states its size in another unit is denied. `usd`: what requests are worth in US dollars, as `usd_value` has it; 422 unless the setting `usd_value_conditions_enabled` is on.',
  window_s: 'Length of the rolling window in seconds, 1 to 2678400 (31 days).',
  per: 'Whose requests are counted together: those of one `key`, one `wallet` or one `initiator`, or all that the rule allows in its security `group`.',
} as const;

const shown = s.strictObject({
  limit: s.string().describe(TEXTS.limit),
  unit: s.words(VELOCITY_UNITS).describe(TEXTS.unit),
  window_s: s.int().describe(TEXTS.window_s),
  per: s.words(VELOCITY_SCOPES).describe(TEXTS.per),
});

/** The parts of a venue request that are counted. */
const COUNTED_BY: Readonly<Record<VelocityUnit, readonly VenueCondition[]>> = {
  count: [],
  amount: ['amount'],
  quote_amount: ['quote_amount'],
  usd: PRICED_BY,
};

export const velocity = {
  ...FORMS.velocity,
  text: 'How much the rule may allow in any span of `window_s` seconds, this request included; beyond it the rule does not match. Of a rule that allows alone. Absent: no limit.',
  fieldTexts: TEXTS,
  shown,
  show: ({ limit, unit, windowS, per }: VelocityLimit): s.InputOf<typeof shown> => ({
    ...{ limit, unit, window_s: windowS, per },
  }),
  words: {
    form: 'limit',
    label: 'Limit',
    units: {
      count: 'requests',
      amount: { side: 'base', otherwise: 'of what is traded or moved' },
      quote_amount: { side: 'quote', otherwise: 'of what the market is priced in' },
      usd: 'US dollars',
    },
  },
  turn: 'limit',
  parts: ({ unit }) => COUNTED_BY[unit],
  /** Beyond its limit, later rules decide. */
  covers: () => false,
} as const satisfies Condition<VelocityLimit, typeof FORMS.velocity.stated, typeof shown>;
