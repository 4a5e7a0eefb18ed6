import { expect, it } from '@jest/globals';
import { MARKET_NAMES } from '../tables/market-names.js';
import { VENUES } from '../venue-catalogue.js';
import { assetOfCoin, assetsOfMarket } from './market-assets.js';

it.each([
  ['binance', 'BTCUSDT', 'BTC/USDT'],
  ['binance', 'ETHBTC', 'ETH/BTC'],
  ['binance', 'BTCFDUSD', 'BTC/FDUSD'],
  // a future, an unknown quote, a quote alone
  ['binance', 'BTCUSDT_261225', undefined],
  ['binance', 'BTCXYZ', undefined],
  ['binance', 'USDT', undefined],
  ['bybit', 'SOLUSDC', 'SOL/USDC'],
  ['bybit', 'BTCUSD', undefined],
  ['bitget', 'BTCUSDT', 'BTC/USDT'],
  ['okx', 'BTC-USDT', 'BTC/USDT'],
  ['okx', 'BTC-USDT-SWAP', undefined],
  ['kucoin', 'BTC-USDT', 'BTC/USDT'],
  ['coinbase_exchange', 'BTC-USD', 'BTC/USD'],
  ['gate', 'BTC_USDT', 'BTC/USDT'],
  ['backpack', 'SOL_USDC', 'SOL/USDC'],
  ['backpack', 'SOL_USDC_PERP', undefined],
  ['deribit', 'BTC_USDC', 'BTC/USDC'],
  ['deribit', 'BTC_USDC-PERPETUAL', undefined],
  ['deribit', 'BTC-PERPETUAL', undefined],
  ['gemini', 'btcusd', 'BTC/USD'],
  // of BTC in GUSD, or of BTCG in USD
  ['gemini', 'btcgusd', undefined],
  ['gemini', 'btcgusdperp', undefined],
  ['kraken', 'XBTUSD', 'BTC/USD'],
  ['kraken', 'XBT/USDT', 'BTC/USDT'],
  ['kraken', 'ETH/XBT', 'ETH/BTC'],
  ['bitfinex', 'tBTCUSD', 'BTC/USD'],
  ['bitfinex', 'tBTCUST', 'BTC/USDT'],
  ['bitfinex', 'tDUSK:USD', 'DUSK/USD'],
  ['bitfinex', 'tBTCF0:USTF0', 'BTCF0/USTF0'],
  ['bitfinex', 'BTCUSD', undefined],
  ['bitfinex', 'tDUSKUSD', undefined],
])('at %s the market %s is of %s', (venueId, symbol, expected) => {
  const found = assetsOfMarket(symbol, MARKET_NAMES[venueId]!);
  expect(found && `${found.base}/${found.quote}`).toBe(expected);
});

it('takes no name from the prototype of its aliases for one', () => {
  expect(assetOfCoin('CONSTRUCTOR', { aliases: {} })).toBe('CONSTRUCTOR');
  expect(assetOfCoin('XXBT', MARKET_NAMES['kraken']!)).toBe('BTC');
  expect(assetOfCoin('BTC USD', MARKET_NAMES['kraken']!)).toBeUndefined();
});

it('speaks of venues that there are', () => {
  const ids = VENUES.map(({ id }) => id);
  expect(Object.keys(MARKET_NAMES).filter((id) => !ids.includes(id))).toEqual([]);
});
