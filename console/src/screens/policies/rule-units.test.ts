import { describe, expect, it } from '@jest/globals';
import { amount } from '@countersign/api/conditions/amount.js';
import { quoteAmount } from '@countersign/api/conditions/quote-amount.js';
import { assetsOfRule, unitOf, type When } from './rule-units.js';

function unitsOfRule(when: When) {
  const assets = assetsOfRule(when);
  return {
    amount: unitOf(amount.words.unit, assets),
    quote_amount: unitOf(quoteAmount.words.unit, assets),
  };
}

const UNKNOWN = {
  amount: 'of what is traded or moved',
  quote_amount: 'of what the market is priced in',
};

describe('the units of a rule', () => {
  it.each<[When, string, string]>([
    [{ symbols: ['BTCUSDT'], venue_ids: ['binance'] }, 'BTC', 'USDT'],
    [{ symbols: ['BTCUSDT', 'ETHUSDT'] }, 'BTC or ETH', 'USDT'],
    [{ symbols: ['XBTUSD'], venue_ids: ['kraken'] }, 'BTC', 'USD'],
    [{ symbols: ['BTC'], operation_classes: ['withdraw'] }, 'BTC', 'BTC'],
  ])('are those of the markets or coins that it names: %j', (when, amount, quote_amount) => {
    expect(unitsOfRule(when)).toEqual({ amount, quote_amount });
  });

  it.each<[string, When]>([
    ['no symbol', {}],
    ['no symbol left', { symbols: [] }],
    ['one symbol that nobody can read', { symbols: ['BTCUSDT', 'PF_XBTUSD'] }],
    [
      'a venue whose markets nobody can read',
      { symbols: ['BTCUSDT'], venue_ids: ['binance', 'kraken_futures'] },
    ],
    // `BTC` in `TUSD` at one venue, `BTCT` in `USD` at another
    ['a symbol that venues read differently', { symbols: ['BTCTUSD'] }],
    ['a coin or a market', { symbols: ['BTCUSDT'], operation_classes: ['trade', 'withdraw'] }],
    ['another class', { symbols: ['BTCUSDT'], operation_classes: ['key_admin'] }],
  ])('are told of none with %s', (_, when) => {
    expect(unitsOfRule(when)).toEqual(UNKNOWN);
  });
});
