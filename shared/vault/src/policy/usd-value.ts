/**
 * The worth of a request in US dollars: the sum of all that it orders or moves, each at the price of one of its
 * assets. What cannot be valued for certain has no value that a rule could compare, which denies the request. Pure.
 */
import { PRICED_BY } from '@countersign/api/conditions/usd-value.js';
import type { TransactionFacts } from '@countersign/chains/solana-movements.js';
import { multiplyDecimals, sumDecimals } from '@countersign/core/decimal-arithmetic.js';
import type { UsedPrice } from '@countersign/core/price-snapshot.js';
import { quoteName } from '@countersign/core/quote-name.js';
import {
  assetOfCoin,
  assetsOfMarket,
  type MarketAssets,
  type MarketNames,
} from '@countersign/venues/engine/market-assets.js';
import type { OperationClass } from '@countersign/core/vocabulary.js';
import type { VenueFacts } from '@countersign/venues/engine/venue-facts.js';
import { MARKET_NAMES } from '@countersign/venues/tables/market-names.js';
import { findVenue } from '@countersign/venues/venue-catalogue.js';
import { coinsMoved, type Coins } from '@countersign/chains/moved-coins.js';

/** Prices for a decision, all of one moment. */
export interface Prices {
  priceOf(asset: string): UsedPrice | Unpriced;
  /**
   * Whether the asking node does not decide: what has no price here is left to the parties, which have prices of their
   * own. Absent: what has no price is denied.
   */
  readonly isLeftToParties?: boolean | undefined;
}

export interface Unpriced {
  /** Why the price is not to be relied on; public text. */
  readonly unpriced: string;
}

/** `none`: it orders and moves nothing. `unpriced`: only who has the prices can value it. */
export type UsdValue =
  | { readonly result: 'valued'; readonly value: string; readonly prices: readonly UsedPrice[] }
  | { readonly result: 'none' }
  | { readonly result: 'unpriced'; readonly reason: string }
  | { readonly result: 'error'; readonly reason: string };

export interface ValuedFacts {
  readonly venue?: VenueFacts | undefined;
  readonly transaction?: TransactionFacts | undefined;
  readonly prices?: Prices | undefined;
}

type Holdings = readonly Coins[] | 'none' | { readonly reason: string };

const MOVES_NOTHING: readonly OperationClass[] = ['read', 'cancel', 'key_admin'];
const MOVES_COINS: readonly OperationClass[] = ['withdraw', 'transfer'];
/** The unit of all values needs no price. */
const USD = 'USD';

export function usdValueOf({ venue, transaction, prices }: ValuedFacts): UsdValue {
  const holdings = holdingsOf(venue, transaction);
  if (holdings === 'none') return { result: 'none' };
  if ('reason' in holdings) return { result: 'error', ...holdings };
  if (prices === undefined) return { result: 'unpriced', reason: 'there are no prices here' };
  return valueAt(holdings, prices);
}

function holdingsOf(
  venue: VenueFacts | undefined,
  transaction: TransactionFacts | undefined,
): Holdings {
  if (transaction !== undefined) return holdingsOfTransaction(transaction);
  return venue === undefined ? 'none' : holdingsOfVenueRequest(venue);
}

function valueAt(holdings: readonly Coins[], prices: Prices): UsdValue {
  const used = new Map<string, UsedPrice>();
  const values: string[] = [];
  try {
    for (const { amount, asset } of holdings) {
      const found = asset === USD ? undefined : (used.get(asset) ?? prices.priceOf(asset));
      if (found !== undefined && 'unpriced' in found) {
        return { result: 'unpriced', reason: found.unpriced };
      }
      if (found !== undefined) used.set(asset, found);
      values.push(found === undefined ? amount : multiplyDecimals(amount, found.price));
    }
    return { result: 'valued', value: sumDecimals(values), prices: [...used.values()] };
  } catch {
    return { result: 'error', reason: 'its value is too large to be computed' };
  }
}

/** Sums all movements, whoever pays them, so that nobody gains by hiding one among others. */
function holdingsOfTransaction({ movements, unread }: TransactionFacts): Holdings {
  if (unread !== undefined) return { reason: unread };
  const holdings = movements.map(coinsMoved);
  const unknown = holdings.includes(undefined);
  if (unknown) return { reason: 'it moves an asset that is not in the list of networks' };
  return movements.length === 0 ? 'none' : holdings.filter((one) => one !== undefined);
}

function holdingsOfVenueRequest(facts: VenueFacts): Holdings {
  if (MOVES_NOTHING.includes(facts.operationClass)) return 'none';
  const fault = findVenueFault(facts);
  if (fault !== undefined) return { reason: fault };
  const [symbol, ...others] = facts.symbols;
  if (symbol === undefined || others.length > 0) {
    return { reason: 'it does not name one market or coin, whose price could be taken' };
  }
  const names = MARKET_NAMES[facts.venueId];
  const assets = names === undefined ? undefined : assetsOf(facts, symbol, names);
  if (assets === undefined) {
    return { reason: `which assets ${quoteName(symbol)} stands for cannot be told for certain` };
  }
  return [
    ...facts.amounts.map((amount) => ({ amount, asset: assets.base })),
    ...facts.quoteAmounts.map((amount) => ({ amount, asset: assets.quote })),
  ];
}

/** Gives the market's two assets for an order, and the coin for what moves one. */
function assetsOf(
  { operationClass, sides }: VenueFacts,
  symbol: string,
  names: MarketNames,
): MarketAssets | undefined {
  if (MOVES_COINS.includes(operationClass)) {
    const coin = assetOfCoin(symbol, names);
    return coin === undefined ? undefined : { base: coin, quote: coin };
  }
  // without a side, as in a loan or a stake, the symbol need not be that of a market
  return sides.length > 0 ? assetsOfMarket(symbol, names) : undefined;
}

/** Why the amount cannot be told. */
function findVenueFault(facts: VenueFacts): string | undefined {
  const { venueId, operationClass, undecidable, contracts } = facts;
  if (operationClass === 'session' || operationClass === 'unknown') {
    return `nothing is known of what follows a request of class ${operationClass}`;
  }
  const venue = findVenue(venueId);
  const unbindable = PRICED_BY.map((part) => venue?.unbindable(part)).find(Boolean);
  if (unbindable !== undefined) return unbindable;
  if (undecidable.includes('amount') || undecidable.includes('symbols')) {
    return 'its size or its market cannot be compared';
  }
  if (contracts.length > 0) return 'it states a number of contracts, whose worth is not known';
  return facts.amounts.length + facts.quoteAmounts.length === 0 ? 'it states no size' : undefined;
}
