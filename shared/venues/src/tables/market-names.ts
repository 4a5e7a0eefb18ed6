/**
 * What a venue's symbols tell of the assets behind them: a market's name is made of those of its two assets. A name is
 * read only if it can mean nothing else. What is left out here (futures, options, venues that number their markets)
 * has no known assets, and rules that ask for its worth in USD deny it.
 *
 * Sources: the venues' own lists of markets (e.g. https://api.binance.com/api/v3/exchangeInfo,
 * https://api-pub.bitfinex.com/v2/conf/pub:list:pair:exchange, https://api.kraken.com/0/public/AssetPairs).
 */

import type { MarketNames } from '../engine/market-assets.js';

const KRAKEN_ALIASES = {
  XBT: 'BTC',
  XXBT: 'BTC',
  XETH: 'ETH',
  XDG: 'DOGE',
  XXDG: 'DOGE',
  XXRP: 'XRP',
  XLTC: 'LTC',
  XXLM: 'XLM',
  XXMR: 'XMR',
  XZEC: 'ZEC',
  ZUSD: 'USD',
  ZEUR: 'EUR',
  ZGBP: 'GBP',
} as const;

/** Keyed by venue id. */
export const MARKET_NAMES: Readonly<Record<string, MarketNames>> = {
  backpack: { separator: '_' },
  binance: {
    quotes: ['USDT', 'USDC', 'FDUSD', 'TUSD', 'BTC', 'ETH', 'BNB', 'EUR', 'TRY', 'BRL', 'JPY'],
  },
  // `UST` is Tether's dollar there
  bitfinex: { prefix: 't', separator: ':', aliases: { UST: 'USDT', UDC: 'USDC' } },
  bitget: { quotes: ['USDT', 'USDC', 'BTC', 'ETH', 'EUR'] },
  bybit: { quotes: ['USDT', 'USDC', 'BTC', 'ETH', 'EUR', 'BRL'] },
  coinbase_exchange: { separator: '-' },
  deribit: { separator: '_' },
  gate: { separator: '_' },
  gemini: { quotes: ['USD', 'USDT', 'USDC', 'GUSD', 'BTC', 'ETH', 'EUR', 'GBP', 'SGD'] },
  kraken: {
    separator: '/',
    quotes: ['USD', 'USDT', 'USDC', 'EUR', 'GBP', 'XBT', 'ETH'],
    aliases: KRAKEN_ALIASES,
  },
  kucoin: { separator: '-' },
  okx: { separator: '-' },
};
