/**
 * In which currencies an order is, and what it is worth by its own price: where the venue's way of naming markets leaves
 * no doubt, by the same table that rules on values go by. Whatever is left in doubt is said to be unknown.
 */
import { isDecimal } from '@countersign/core/decimal.js';
import { multiplyDecimals, sumDecimals } from '@countersign/core/decimal-arithmetic.js';
import { assetsOfMarket, type MarketAssets } from '@countersign/venues/engine/market-assets.js';
import type { OrderTerm, OrderTermName } from '@countersign/venues/engine/venue.js';
import type { VenueFacts } from '@countersign/venues/engine/venue-facts.js';
import { MARKET_NAMES } from '@countersign/venues/tables/market-names.js';

/** `value`: a decimal string, in units of `unit`. */
export type OrderWorth =
  | { readonly value: string; readonly unit: string; readonly isStated: boolean }
  | { readonly unknownBecause: string };

/** Types that are filled at the stated price or a better one: of others it is a trigger, or is looked past. */
const AT_ITS_PRICE = /^(?:exchange )?(?:limit(?:[ _]?maker)?|post[ _]?only|fok|ioc)$/i;

/** The two assets of the order's market; undefined where nothing tells them for certain. */
export function assetsOfOrder(
  terms: readonly OrderTerm[],
  facts: VenueFacts,
): MarketAssets | undefined {
  const names = MARKET_NAMES[facts.venueId];
  const symbol = onlyValue(terms, 'symbol');
  const isTrade = facts.operationClass === 'trade' && facts.sides.length > 0;
  const isCertain = !facts.undecidable.includes('symbols');
  return names === undefined || symbol === undefined || !isTrade || !isCertain
    ? undefined
    : assetsOfMarket(symbol, names);
}

/** Price times quantity, or the amount that the order states in the quote asset. */
export function worthOfOrder(
  terms: readonly OrderTerm[],
  assets: MarketAssets | undefined,
): OrderWorth {
  const unknown = (unknownBecause: string) => ({ unknownBecause });
  if (assets === undefined)
    return unknown('nothing here tells for certain in which currency it is');
  const { quote: unit } = assets;
  const spent = onlyValue(terms, 'quote_amount');
  if (spent !== undefined) {
    return isDecimal(spent)
      ? { value: spent, unit, isStated: true }
      : unknown('its numbers are written otherwise');
  }
  const [amount, price] = [onlyValue(terms, 'amount'), onlyValue(terms, 'price')];
  if (amount === undefined) return unknown('it states no quantity in coins');
  const type = onlyValue(terms, 'order_type');
  const hasPrice = price !== undefined && (type === undefined || AT_ITS_PRICE.test(type));
  if (!hasPrice) return unknown('it names no price that it is filled at');
  if (!isDecimal(amount) || !isDecimal(price)) return unknown('its numbers are written otherwise');
  const value = withinDecimals(() => multiplyDecimals(amount, price));
  return value === undefined
    ? unknown('it has too many digits to be computed here')
    : { value, unit, isStated: false };
}

/** All of them together; undefined where one is not known, they are in several units, or there are none. */
export function worthOfAll(worths: readonly OrderWorth[]): string | undefined {
  const known = worths.flatMap((worth) => ('unknownBecause' in worth ? [] : [worth]));
  const [unit, ...others] = new Set(known.map((worth) => worth.unit));
  if (unit === undefined || others.length > 0 || known.length < worths.length) return undefined;
  const sum = withinDecimals(() => sumDecimals(known.map(({ value }) => value)));
  return sum === undefined ? undefined : `${sum} ${unit}`;
}

/** Undefined beyond 40 digits: numbers of a request must not stop a page that lists it beside others. */
function withinDecimals(compute: () => string): string | undefined {
  try {
    return compute();
  } catch (error) {
    if (error instanceof RangeError) return undefined;
    throw error;
  }
}

/** A price in US dollars, as receipts and answers state it. */
interface StatedPrice {
  readonly asset: string;
  readonly price: string;
}

/** What it is worth in US dollars by prices that were stated; undefined where none of them is of its currency. */
export function worthInUsd(worth: OrderWorth, prices: readonly StatedPrice[]): string | undefined {
  if ('unknownBecause' in worth) return undefined;
  const price = prices.find(({ asset }) => asset === worth.unit)?.price;
  return price === undefined || !isDecimal(price)
    ? undefined
    : withinDecimals(() => multiplyDecimals(worth.value, price));
}

/** Undefined where it stands there twice, or not at all. */
function onlyValue(terms: readonly OrderTerm[], name: OrderTermName): string | undefined {
  const found = terms.filter(({ term }) => term === name);
  return found.length === 1 ? found[0]!.value : undefined;
}
