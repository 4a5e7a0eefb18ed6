/** What the amounts of a rule are counted in, by the markets or coins that it names: nothing is said that is not certain. */
import type { UnitWords } from '@countersign/api/conditions/condition-words.js';
import {
  assetOfCoin,
  assetsOfMarket,
  type MarketAssets,
  type MarketNames,
} from '@countersign/venues/engine/market-assets.js';
import { MARKET_NAMES } from '@countersign/venues/tables/market-names.js';
import type { RuleInput } from './policy-draft.js';

export type When = Pick<RuleInput['when'], 'symbols' | 'venue_ids' | 'operation_classes'>;

/** Of which a coin is named, and no market. */
const OF_COINS = ['withdraw', 'transfer'];
const OF_MARKETS = ['read', 'cancel', 'trade'];

/** By side, the assets that amounts are of; empty where that is not certain. */
export type NamedAssets = Readonly<Record<keyof MarketAssets, readonly string[]>>;

export function assetsOfRule(when: When): NamedAssets {
  const assets = assetsNamed(when) ?? [];
  const of = (side: keyof MarketAssets) => [...new Set(assets.map((one) => one[side]))];
  return { base: of('base'), quote: of('quote') };
}

/** What stands beside a number. */
export function unitOf(unit: UnitWords, assets: NamedAssets): string {
  return typeof unit === 'string' ? unit : assets[unit.side].join(' or ') || unit.otherwise;
}

/** Undefined where one of the symbols could stand for something else, or none is named. */
function assetsNamed({ symbols = [], ...when }: When): readonly MarketAssets[] | undefined {
  const assets = symbols.map((symbol) => assetsBehind(symbol, when));
  const known = assets.filter((one) => one !== undefined);
  return known.length === 0 || known.length < assets.length ? undefined : known;
}

/** In the words of any venue. */
const QUOTES = new Set(Object.values(MARKET_NAMES).flatMap(({ quotes = [] }) => quotes));

/** As each venue of the rule reads it. Where it names none, as all do that read a currency in it that markets are quoted in. */
function assetsBehind(
  symbol: string,
  { venue_ids: venueIds, operation_classes: stated }: When,
): MarketAssets | undefined {
  const classes: readonly string[] = stated ?? OF_MARKETS;
  const isWithin = (known: readonly string[]) => classes.every((one) => known.includes(one));
  const read = isWithin(OF_MARKETS) ? assetsOfMarket : isWithin(OF_COINS) ? coinMoved : undefined;
  if (read === undefined) return undefined;
  const venues = venueIds?.map((id) => MARKET_NAMES[id]) ?? Object.values(MARKET_NAMES);
  const readings = venues.map((names) => names && read(symbol, names));
  const isMarket = read === assetsOfMarket;
  const found =
    venueIds === undefined
      ? readings.filter((one) => one && (!isMarket || QUOTES.has(one.quote)))
      : readings;
  const [first] = found;
  const isOne = found.every((one) => one?.base === first?.base && one?.quote === first?.quote);
  return isOne ? first : undefined;
}

function coinMoved(symbol: string, names: MarketNames): MarketAssets | undefined {
  const coin = assetOfCoin(symbol, names);
  return coin === undefined ? undefined : { base: coin, quote: coin };
}
