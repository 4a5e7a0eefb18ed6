import { describe, expect, it } from '@jest/globals';
import { isRefusal } from '@countersign/core/errors.js';
import type { VenueRequest } from '@countersign/venues/engine/venue.js';
import { readVenueRequest } from '@countersign/venues/read-venue-request.js';
import { exampleText, firstOrderAt } from '../policies/example-orders.js';
import { assetsOfOrder, worthInUsd, worthOfOrder, type OrderWorth } from './order-worth.js';

function worthAt(venueId: string, given: Partial<VenueRequest>): OrderWorth {
  const request = { channel: 'rest', method: 'POST', query: '', body: '', path: '', ...given };
  const reading = readVenueRequest(venueId, request as VenueRequest);
  if (isRefusal(reading)) throw new Error(reading.message);
  const [terms = []] = reading.orders;
  return worthOfOrder(terms, assetsOfOrder(terms, reading.facts));
}

/** The most digits that a decimal has. */
const HUGE = '9'.repeat(40);

const binance = (query: string) => worthAt('binance', { path: '/api/v3/order', query });

describe('what an order is worth', () => {
  it.each([
    ['backpack', 'USDC'],
    ['binance', 'USDT'],
    ['bitfinex', 'USD'],
    ['bybit', 'USDT'],
    ['kraken', 'USD'],
    ['kucoin', 'USDT'],
    ['okx', 'USDT'],
  ])('at %s is in %s', (venueId, unit) => {
    const order = { ...firstOrderAt(venueId)!, amount: '0.3', price: '0.1' };
    const { venue_request } = JSON.parse(exampleText({ id: 'k', venueId }, order, '')) as {
      venue_request: VenueRequest;
    };
    expect(worthAt(venueId, venue_request)).toEqual({ value: '0.03', unit, isStated: false });
  });

  it('is what it states, where it states that', () => {
    const stated = { value: '500', unit: 'USDT', isStated: true };
    expect(binance('symbol=BTCUSDT&side=BUY&type=MARKET&quoteOrderQty=500')).toEqual(stated);
  });

  it.each([
    ['a market that is read in two ways', 'symbol=BTCXYZ&side=BUY&type=LIMIT&quantity=1&price=2'],
    ['no price', 'symbol=BTCUSDT&side=BUY&type=MARKET&quantity=1'],
    [
      'a price that a market order looks past',
      'symbol=BTCUSDT&side=BUY&type=MARKET&quantity=1&price=2',
    ],
    ['a trigger', 'symbol=BTCUSDT&side=BUY&type=STOP_LOSS&quantity=1&price=2&stopPrice=2'],
    ['no quantity', 'symbol=BTCUSDT&side=BUY&type=LIMIT&price=2'],
    ['a number in another form', 'symbol=BTCUSDT&side=BUY&type=LIMIT&quantity=1&price=2e3'],
    ['a product of too many digits', `symbol=BTCUSDT&side=BUY&type=LIMIT&quantity=3&price=${HUGE}`],
  ])('is not known with %s', (_, query) => {
    expect(binance(query)).toHaveProperty('unknownBecause');
  });

  it.each(['kraken_futures', 'coinbase_advanced', 'deribit'])('is not known at %s', (venueId) => {
    const text = exampleText({ id: 'k', venueId }, firstOrderAt(venueId)!, '');
    const { venue_request } = JSON.parse(text) as { venue_request: VenueRequest };
    expect(worthAt(venueId, venue_request)).toHaveProperty('unknownBecause');
  });
});

it('is not known where the stated amount is no number', () => {
  const terms = [{ term: 'quote_amount', value: 'much', name: 'cost', from: 'query' }] as const;
  const assets = { base: 'BTC', quote: 'USDT' };
  expect(worthOfOrder(terms, assets)).toHaveProperty('unknownBecause');
});

it('is worth in US dollars what a stated price of its currency says', () => {
  const worth = binance('symbol=BTCUSDT&side=BUY&type=LIMIT&quantity=0.5&price=60000');
  const btc = { asset: 'BTC', price: '60100' };
  expect(worthInUsd(worth, [btc, { asset: 'USDT', price: '1.0002' }])).toBe('30006');
  expect(worthInUsd(worth, [btc])).toBeUndefined();
  expect(worthInUsd(worth, [{ asset: 'USDT', price: 'much' }])).toBeUndefined();
  const unknown = binance('symbol=BTCUSDT&side=BUY&type=MARKET&quantity=0.5');
  expect(worthInUsd(unknown, [{ asset: 'USDT', price: '1' }])).toBeUndefined();
});
