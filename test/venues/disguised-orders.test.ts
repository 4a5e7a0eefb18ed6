/**
 * Orders that do more than the fact a rule looks at: each of these once passed a rule on symbol, side and
 * amount. What cannot be compared must say so, and what moves funds must have its class.
 */
import { describe, expect, it } from '@jest/globals';
import { isRefusal } from '@countersign/shared/errors.js';
import type { KeyType } from '@countersign/shared/signing/schemes.js';
import { findVenue } from '@countersign/shared/venues/venue-catalogue.js';
import type { VenueFacts, VenueRequest } from '@countersign/shared/venues/venue.js';

function factsOf(venueId: string, request: Partial<VenueRequest>, type?: KeyType): VenueFacts {
  const venue = findVenue(venueId)!;
  const keyType = type ?? (Object.keys(venue.schemes)[0] as KeyType);
  const whole = { method: 'POST', path: '', query: '', body: '', channel: 'rest', ...request };
  const plan = venue.plan(whole as VenueRequest, { type: keyType, apiKey: 'key' });
  if (isRefusal(plan)) throw new Error(plan.message);
  return plan.facts;
}

const post = (path: string, body: object): Partial<VenueRequest> => ({
  path,
  body: JSON.stringify(body),
});

describe('a request that does more than it says', () => {
  it.each(['account.status', 'v2/account.balance', 'algoOrder.cancel'])(
    'Binance WebSocket %s without parameters is a login: the method is not signed',
    (method) => {
      const request = { channel: 'ws', method, body: '{}' } as const;
      expect(factsOf('binance', request, 'ed25519').operationClass).toBe('session');
      const windowed = { ...request, body: '{"recvWindow":5000}' };
      expect(factsOf('binance', windowed, 'ed25519').operationClass).toBe('session');
    },
  );

  it('Binance: closePosition of any value but false closes all', () => {
    for (const value of ['true', '1', 'yes']) {
      const query = `symbol=BTCUSDT&side=SELL&type=STOP_MARKET&stopPrice=1&closePosition=${value}&quantity=0`;
      const facts = factsOf('binance', { path: '/fapi/v1/order', query });
      expect(facts.undecidable).toContain('amount');
    }
  });

  it('Backpack: a trigger quantity is an amount', () => {
    const order = { symbol: 'BTC_USDC', side: 'Bid', orderType: 'Market', quantity: '0.001' };
    const hidden = { ...order, triggerPrice: '1', triggerQuantity: '1000' };
    expect(factsOf('backpack', post('/api/v1/order', hidden)).amounts).toContain('1000');
  });

  const OKX_MARKET = { instId: 'DOGE-USDT', side: 'buy', ordType: 'market', sz: '1000' };
  it.each([
    ['newSz makes no amendment of an order', { ...OKX_MARKET, tdMode: 'cash', newSz: '1' }],
    ['tgtCcy counts in cash mode alone', { ...OKX_MARKET, tdMode: 'cross', tgtCcy: 'base_ccy' }],
  ])('OKX: %s', (_what, order) => {
    expect(factsOf('okx', post('/api/v5/trade/order', order)).undecidable).toContain('amount');
  });

  it('OKX: an amendment is one still', () => {
    const amendment = { instId: 'DOGE-USDT', ordId: '1', newSz: '1' };
    const facts = factsOf('okx', post('/api/v5/trade/amend-order', amendment));
    expect(facts).toMatchObject({ amounts: ['1'], undecidable: [] });
  });

  it.each([
    ['/api/v5/sprd/order', { sprdId: 'ETH-USDT_ETH-USDT-SWAP', instId: 'BTC-USDT', sz: '1' }],
    ['/api/v5/trade/easy-convert', { fromCcy: ['ETH'], toCcy: 'BTC' }],
  ])('OKX: no symbol is read beside those that count, at %s', (path, body) => {
    expect(factsOf('okx', post(path, body)).symbols).toEqual([]);
  });

  it('Gemini: a clearing deal with a named counterparty is a withdrawal', () => {
    const deal = {
      symbol: 'btcusd',
      amount: '1',
      price: '0.01',
      side: 'sell',
      counterparty_id: 'X',
    };
    expect(factsOf('gemini', post('/v1/clearing/new', deal)).operationClass).toBe('withdraw');
  });

  it('Deribit: the list of keys, with their secrets, is no mere read', () => {
    const request = { method: 'GET', path: '/api/v2/private/list_api_keys' };
    expect(factsOf('deribit', request).operationClass).toBe('key_admin');
  });

  it('Bybit: a stop for the whole position has neither amount nor side to compare', () => {
    const order = {
      category: 'linear',
      symbol: 'BTCUSDT',
      side: 'Buy',
      orderType: 'Limit',
      qty: '0.001',
      price: '1',
    };
    const place = (more: object) =>
      factsOf('bybit', post('/v5/order/create', { ...order, ...more }));
    expect(place({ stopLoss: '99999' }).undecidable).toEqual(['sides', 'amount']);
    expect(place({ stopLoss: '1', tpslMode: 'Full' }).undecidable).toEqual(['sides', 'amount']);
    expect(place({ stopLoss: '1', tpslMode: 'Partial' }).undecidable).toEqual([]);
    expect(place({}).undecidable).toEqual([]);
  });

  it("Kraken and Kraken Futures: an amendment is of its order's symbol, whatever stands beside it", () => {
    const kraken = { path: '/0/private/AmendOrder', body: 'txid=X&order_qty=0.01&pair=XBTUSD' };
    expect(factsOf('kraken', kraken)).toMatchObject({ symbols: [], undecidable: ['amount'] });
    const futures = {
      path: '/derivatives/api/v3/editorder',
      body: 'orderId=X&size=0.01&symbol=PF_XBTUSD',
    };
    expect(factsOf('kraken_futures', futures)).toMatchObject({
      symbols: [],
      undecidable: ['amount'],
    });
  });

  it('Bitget: buying to close sells', () => {
    const order = {
      symbol: 'BTCUSDT',
      productType: 'USDT-FUTURES',
      marginMode: 'crossed',
      marginCoin: 'USDT',
      size: '1',
      side: 'buy',
      orderType: 'market',
    };
    const place = (more: object) =>
      factsOf('bitget', post('/api/v2/mix/order/place-order', { ...order, ...more }));
    expect(place({ tradeSide: 'close' }).undecidable).toContain('sides');
    expect(place({ tradeSide: 'open' }).undecidable).toEqual([]);
  });

  it('Bitfinex: the close flag ends a whole position', () => {
    const order = { type: 'MARKET', symbol: 'tBTCUSD', amount: '0.01' };
    const place = (flags: number) =>
      factsOf('bitfinex', post('/v2/auth/w/order/submit', { ...order, flags }));
    expect(place(512).undecidable).toContain('amount');
    expect(place(64).undecidable).toEqual([]);
  });
});
