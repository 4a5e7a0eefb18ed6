/** How much a rule may allow in a rolling window. Whoever signs requests counts them. */
import * as s from '@countersign/core/shapes.js';
import {
  VELOCITY_SCOPES,
  VELOCITY_UNITS,
  type VelocityScope,
  type VelocityUnit,
} from '@countersign/core/vocabulary.js';
import type { VenueCondition } from '@countersign/venues/engine/venue-facts.js';
import { assets } from './assets.js';
import { decimal } from './bounds.js';
import type { Condition, ConditionedRule } from './condition.js';
import { keptOf } from './tested.js';
import { symbols } from './symbols.js';
import { PRICED_BY } from './usd-value.js';

/** How much a rule may allow in any span of `windowS` seconds. */
export interface VelocityLimit {
  /** Decimal string, inclusive. */
  readonly limit: string;
  readonly unit: VelocityUnit;
  readonly windowS: number;
  /** Whose requests are counted together. */
  readonly per: VelocityScope;
}

const TEXTS = {
  limit:
    'What the window may hold, inclusive: a decimal string, whole for `count`; `0` allows nothing.',
  unit: 'What is counted. `count`: requests, each signed one once. `amount` and `quote_amount`: amounts of venue requests in that unit. They need `symbols` beside them, because amounts of different assets are added up as they are. `amount` counts transactions, too, where exactly one of `assets` is stated: all that they move of it, in whole coins. A request that states its size in another unit is denied. `usd`: what requests are worth in US dollars, as `usd_value` has it; 422 unless the setting `usd_value_conditions_enabled` is on.',
  window_s: 'Length of the rolling window in seconds, 1 to 2678400 (31 days).',
  per: 'Whose requests are counted together: those of one `key`, one `wallet` or one `initiator`, or all that the rule allows in its security `group`.',
} as const;

const MAX_WINDOW_S = 2_678_400;

const stated = s
  .strictObject({
    limit: decimal.describe(TEXTS.limit),
    unit: s.words(VELOCITY_UNITS).describe(TEXTS.unit),
    window_s: s.int().min(1).max(MAX_WINDOW_S).describe(TEXTS.window_s),
    per: s.words(VELOCITY_SCOPES).describe(TEXTS.per),
  })
  .refine(({ limit, unit }) => unit !== 'count' || /^\d+$/.test(limit), {
    path: ['limit'],
    message: 'must be a whole number of requests',
  });

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
  name: 'velocity',
  field: 'velocity',
  text: 'How much the rule may allow in any span of `window_s` seconds, this request included; beyond it the rule does not match. Of a rule that allows alone. Absent: no limit.',
  stated,
  shown,
  keep: ({ limit, unit, window_s: windowS, per }: s.OutputOf<typeof stated>): VelocityLimit => ({
    ...{ limit, unit, windowS, per },
  }),
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
  findFault: (kept, rule) => (kept === undefined ? undefined : findFault(kept, rule)),
  turn: 'limit',
  parts: ({ unit }) => COUNTED_BY[unit],
  needsPrices: ({ unit }) => unit === 'usd',
  /** Beyond its limit, later rules decide. */
  covers: () => false,
} as const satisfies Condition<VelocityLimit, typeof stated, typeof shown>;

/** Why a limit could not do what its author means, or undefined. */
function findFault({ unit }: VelocityLimit, { when, then }: ConditionedRule): string | undefined {
  if (then === 'deny') return 'a rule that denies counts nothing: state it of one that allows';
  if (keptOf(symbols, when) !== undefined) return undefined;
  if (unit === 'quote_amount') return `state symbols beside a limit on ${unit}`;
  return unit === 'amount' && keptOf(assets, when)?.length !== 1
    ? `state symbols, or one asset, beside a limit on ${unit}`
    : undefined;
}
