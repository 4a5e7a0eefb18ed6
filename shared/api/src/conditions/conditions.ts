/** Every condition that a rule can state, one line each, in the order of the description. */
import type * as s from '@countersign/core/shapes.js';
import { amount } from './amount.js';
import { assets } from './assets.js';
import type { Condition } from './condition.js';
import { contracts } from './contracts.js';
import { destinationLists } from './destination-lists.js';
import { destinations } from './destinations.js';
import { endpoints } from './endpoints.js';
import { initiators } from './initiators.js';
import { networks } from './networks.js';
import { operationClasses } from './operation-classes.js';
import { operations } from './operations.js';
import { quoteAmount } from './quote-amount.js';
import { sides } from './sides.js';
import { symbols } from './symbols.js';
import { time } from './time.js';
import { usdValue } from './usd-value.js';
import { velocity } from './velocity.js';
import { venueIds } from './venue-ids.js';

const ALL = [
  operations,
  initiators,
  networks,
  assets,
  destinations,
  destinationLists,
  time,
  venueIds,
  operationClasses,
  endpoints,
  symbols,
  sides,
  amount,
  quoteAmount,
  contracts,
  usdValue,
  velocity,
] as const;

export const CONDITIONS: readonly Condition[] = ALL;

/** The texts of the fields in which a request states conditions. */
export const CONDITION_TEXTS = Object.fromEntries(
  CONDITIONS.map(({ name, text, fieldTexts }) => [
    name,
    fieldTexts === undefined ? text : ([text, fieldTexts] as const),
  ]),
);

type Each = (typeof ALL)[number];

type Optional<Of extends s.AnyShape> = s.Shape<
  s.OutputOf<Of> | undefined,
  s.InputOf<Of> | undefined,
  true
>;

/** The fields of an answer that shows conditions. */
export const SHOWN_FIELDS = Object.fromEntries(
  CONDITIONS.map(({ name, text, shown }) => [name, shown.optional().describe(text)]),
) as { readonly [C in Each as C['name']]: Optional<C['shown']> };
