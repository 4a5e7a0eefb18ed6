/** What the amounts of a rule are counted in, by the markets or coins that it names: nothing is said that is not certain. */
import {
  assetOfCoin,
  assetsOfMarket,
  type MarketAssets,
  type MarketNames,
} from '@countersign/venues/engine/market-assets.js';
import { MARKET_NAMES } from '@countersign/venues/tables/market-names.js';
import type { RuleInput } from './policy-draft.js';

export type When = Pick<RuleInput['when'], 'symbols' | 'venue_ids' | 'operation_classes'>;

/** What stands beside a number, by the condition. */
export type RuleUnits = Readonly<
  Record<'amount' | 'quote_amount' | 'contracts' | 'usd_value', string>
>;

/** Of which a coin is named, and no market. */
const OF_COINS = ['withdraw', 'transfer'];
const OF_MARKETS = ['read', 'cancel', 'trade'];

export function unitsOfRule(when: When): RuleUnits {
  const assets = assetsNamed(when);
  const words = (side: keyof MarketAssets) =>
    [...new Set(assets?.map((one) => one[side]))].join(' or ');
  return {
    amount: words('base') || 'of what is traded or moved',
    quote_amount: words('quote') || 'of what the market is priced in',
    contracts: 'contracts',
    usd_value: 'US dollars',
  };
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
