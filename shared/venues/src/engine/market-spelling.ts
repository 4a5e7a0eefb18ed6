/** How a venue would write a market that is written in the way of another venue. Pure. */
import type { MarketNames } from './market-assets.js';

/** Assets that markets are quoted in, whatever the venue. */
const QUOTES = ['USDT', 'USDC', 'USD', 'EUR', 'GBP', 'BTC', 'XBT', 'ETH'];
const APART = /^([A-Z0-9]{2,10})[-_/:]([A-Z]{3,4})$/;
/** No coin's name ends in one of these: without a separator it is a pair as well. */
const TOGETHER = /^([A-Z0-9]{2,10})(USDT|USDC)$/;

/**
 * The two assets' market in the venue's own spelling; undefined if the text is not plainly a pair of assets. `isCoin`:
 * it may be one asset alone.
 */
export function marketOf(text: string, names: MarketNames, isCoin: boolean): string | undefined {
  const name = text.toUpperCase();
  // such a name begins with the prefix already
  if (
    names.prefix !== undefined &&
    names.separator !== undefined &&
    text.includes(names.separator)
  ) {
    return undefined;
  }
  const [, base, quote] = APART.exec(name) ?? (isCoin ? [] : (TOGETHER.exec(name) ?? []));
  if (base === undefined || quote === undefined || !QUOTES.includes(quote)) return undefined;
  // where venues write some markets with a separator and others without, both are right
  const { separator, prefix } = names;
  if (prefix === undefined && name === `${base}${separator ?? ''}${quote}`) return name;
  if (names.quotes !== undefined && name === `${base}${quote}`) return name;
  return joined(venueName(base, names), venueName(quote, names), names);
}

function joined(base: string, quote: string, { separator, prefix }: MarketNames): string {
  if (prefix === undefined) return `${base}${separator ?? ''}${quote}`;
  const isPlain = base.length === 3 && quote.length === 3;
  return `${prefix}${base}${isPlain ? '' : (separator ?? '')}${quote}`;
}

/** The venue's name of an asset that has another name there. */
function venueName(asset: string, { aliases = {}, prefix }: MarketNames): string {
  if (prefix === undefined) return asset;
  return Object.keys(aliases).find((name) => aliases[name] === asset) ?? asset;
}
