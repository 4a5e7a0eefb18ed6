/** The assets behind a venue's symbols, by their common names. Pure. */

/** How a venue names its markets. */
export interface MarketNames {
  /** The text between the two assets. Absent: none. */
  readonly separator?: string;
  /** The text before every market, and before nothing else. */
  readonly prefix?: string;
  /** The assets in which markets are quoted, if there is no separator. */
  readonly quotes?: readonly string[];
  /** Names of assets that mean others elsewhere. */
  readonly aliases?: Readonly<Record<string, string>>;
}

export interface MarketAssets {
  readonly base: string;
  readonly quote: string;
}

const ASSET = /^[A-Z0-9]{1,16}$/;
/** Two assets of three letters each need nothing between them. */
const PLAIN_PAIR = /^[A-Z]{6}$/;

/** The asset of a coin's symbol; undefined if it names none. */
export function assetOfCoin(symbol: string, { aliases = {} }: MarketNames): string | undefined {
  const name = symbol.toUpperCase();
  if (!ASSET.test(name)) return undefined;
  return Object.hasOwn(aliases, name) ? aliases[name] : name;
}

/**
 * The two assets of a market; undefined if its name can be read in two ways, or in none. Only for names that are known
 * to be markets: `WBTC` is a coin, and would be a market of `W`.
 */
export function assetsOfMarket(symbol: string, names: MarketNames): MarketAssets | undefined {
  const { prefix = '' } = names;
  if (!symbol.startsWith(prefix)) return undefined;
  const parts = partsOf(symbol.slice(prefix.length).toUpperCase(), names);
  const [base, quote] = (parts ?? []).map((part) => assetOfCoin(part, names));
  return base === undefined || quote === undefined || base === quote ? undefined : { base, quote };
}

function partsOf(name: string, names: MarketNames): readonly [string, string] | undefined {
  const { separator, prefix, quotes = [] } = names;
  if (separator !== undefined && name.includes(separator)) {
    const [base, quote, ...others] = name.split(separator);
    return others.length > 0 ? undefined : [base!, quote!];
  }
  if (prefix !== undefined) {
    return PLAIN_PAIR.test(name) ? [name.slice(0, 3), name.slice(3)] : undefined;
  }
  const ends = quotes.filter((quote) => name.endsWith(quote) && name.length > quote.length);
  const [quote] = ends;
  return quote === undefined || ends.length > 1 ? undefined : [name.slice(0, -quote.length), quote];
}
