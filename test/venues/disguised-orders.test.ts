/**
 * Orders that do more than the fact a rule looks at: each of these once passed a rule on symbol, side and
 * amount. What cannot be compared must say so, and what moves funds must have its class.
 */
import { describe, expect, it } from '@jest/globals';
import { isRefusal } from '@countersign/core/errors.js';
import type { KeyType } from '@countersign/core/signature-schemes.js';
import { findVenue } from '@countersign/venues/venue-catalogue.js';
import type { VenueRequest } from '@countersign/venues/engine/venue.js';
import type { VenueFacts } from '@countersign/venues/engine/venue-facts.js';
import {
  bitfinex,
  deribit,
  futures,
  kraken,
  market,
  move,
  okx,
  order,
  post,
  tryRule,
  type Case,
  type Conditions,
} from '../support/venue-rules.ts';

function factsOf(venueId: string, request: Partial<VenueRequest>, type?: KeyType): VenueFacts {
  const venue = findVenue(venueId)!;
  const keyType = type ?? (Object.keys(venue.schemes)[0] as KeyType);
  const whole = { method: 'POST', path: '', query: '', body: '', channel: 'rest', ...request };
  const plan = venue.plan(whole as VenueRequest, { type: keyType, apiKey: 'key' });
  if (isRefusal(plan)) throw new Error(plan.message);
  return plan.facts;
}

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
  it('OKX: newSz makes no amendment of an order', () => {
    const order = { ...OKX_MARKET, tdMode: 'cash', newSz: '1' };
    expect(factsOf('okx', post('/api/v5/trade/order', order)).operationClass).toBe('unknown');
  });

  it('OKX: tgtCcy counts in cash mode alone', () => {
    const order = { ...OKX_MARKET, tdMode: 'cross', tgtCcy: 'base_ccy' };
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

  it.each(['stopLoss', 'takeProfit'])('Bybit: a %s for a part trades on the other side', (name) => {
    const order = {
      ...{ symbol: 'BTCUSDT', side: 'Buy', orderType: 'Limit', qty: '0.001', price: '1' },
      ...{ tpslMode: 'Partial', [name]: '9' },
    };
    for (const facts of [
      factsOf('bybit', post('/v5/order/create', { ...order, category: 'linear' })),
      factsOf('bybit', post('/v5/order/create-batch', { category: 'linear', request: [order] })),
    ]) {
      expect(facts).toMatchObject({ sides: ['buy', 'sell'], amounts: ['0.001'], undecidable: [] });
    }
    const plain = post('/v5/order/create', { ...order, category: 'linear', [name]: undefined });
    expect(factsOf('bybit', plain).sides).toEqual(['buy']);
  });

  it('Bybit: a stop for a part of the position is as large as it says, and on no side that it says', () => {
    const stop = (more: object, category = 'linear') =>
      factsOf(
        'bybit',
        post('/v5/position/trading-stop', {
          ...{ category, symbol: 'BTCUSDT', positionIdx: 0, tpslMode: 'Partial' },
          ...more,
        }),
      );
    expect(stop({ stopLoss: '1', slSize: '0.01' })).toMatchObject({
      amounts: ['0.01'],
      sides: [],
      undecidable: ['sides'],
    });
    expect(stop({ stopLoss: '1', slSize: '0.01', takeProfit: '9', tpSize: '5' })).toMatchObject({
      amounts: ['5', '0.01'],
    });
    expect(stop({ stopLoss: '1', slSize: '100' }, 'inverse')).toMatchObject({
      quoteAmounts: ['100'],
    });
    // each of these may be as large as the position
    for (const more of [
      { stopLoss: '1' },
      { stopLoss: '1', slSize: '0' },
      { stopLoss: '1', slSize: '0.0' },
      { stopLoss: '1', tpSize: '0.01' },
      { stopLoss: '1', slSize: '0.01', takeProfit: '9' },
      { trailingStop: '1', slSize: '0.01', tpSize: '0.01' },
      { stopLoss: '1', slSize: '0.01', tpslMode: 'Full' },
      { stopLoss: '1', slSize: '0.01', tpslMode: 'partial' },
    ]) {
      expect(stop(more).undecidable).toContain('amount');
    }
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

const PLACED = { pair: 'XBTUSD', type: 'buy', ordertype: 'market', volume: '0.01' };
const placedWith = (more: string) =>
  kraken('AddOrder', `pair=XBTUSD&type=buy&ordertype=market&volume=0.01&${more}`);
const ON = ['on', { type: 'EXCHANGE LIMIT', symbol: 'tBTCUSD', amount: '0.001', price: '1' }];
const OKX_ORDER = {
  instId: 'BTC-USDT',
  tdMode: 'cash',
  side: 'buy',
  ordType: 'limit',
  sz: '0.01',
  px: '1',
};

describe('an order with another one behind it', () => {
  const pairs: readonly Case[] = [
    [
      'Kraken: a closing order sells',
      'kraken',
      placedWith('close[ordertype]=limit&close[price]=1'),
      order('XBTUSD', '0.01'),
    ],
    [
      'Kraken: as JSON',
      'kraken',
      kraken('AddOrder', JSON.stringify({ ...PLACED, close: { ordertype: 'limit', price: '1' } })),
      order('XBTUSD', '0.01'),
    ],
    [
      'Kraken: in a batch',
      'kraken',
      kraken(
        'AddOrderBatch',
        JSON.stringify({
          pair: 'XBTUSD',
          orders: [{ type: 'buy', ordertype: 'market', volume: '0.01', close: { price: '1' } }],
        }),
      ),
      order('XBTUSD', '0.01'),
    ],
    [
      'OKX: attached orders that say something unknown',
      'okx',
      okx('trade/order', { ...OKX_ORDER, attachAlgoOrds: [{ slTriggerPx: '1', size: '9' }] }),
      order('BTC-USDT', '0.01'),
    ],
    [
      'OKX: orders that an amendment attaches',
      'okx',
      okx('trade/amend-order', { instId: 'BTC-USDT', ordId: '1', newSz: '1', newSlTriggerPx: '9' }),
      { ...market('BTC-USDT'), amount: { max: '1' } },
    ],
    [
      'Backpack: a stop-loss',
      'backpack',
      post('/api/v1/order', {
        symbol: 'SOL_USDC',
        side: 'Bid',
        orderType: 'Market',
        quantity: '1',
        stopLossTriggerPrice: '999',
      }),
      order('SOL_USDC', '1'),
    ],
    [
      'Bitfinex: everything is cancelled beside it',
      'bitfinex',
      bitfinex('order/multi', { ops: [ON, ['oc_multi', { all: 1 }]] }),
      order('tBTCUSD', '0.001'),
    ],
    [
      'Kraken Futures: a cancellation beside it',
      'kraken_futures',
      futures(
        'batchorder',
        'json={"batchOrder":[{"order":"send","symbol":"PF_XBTUSD","side":"buy","size":1},' +
          '{"order":"cancel","order_id":"X","symbol":"PF_XBTUSD","side":"buy","size":1}]}',
      ),
      order('PF_XBTUSD', '1'),
    ],
  ];

  it.each(pairs)('%s', (_name, venueId, request, when) => {
    expect(tryRule(venueId, request, when)).toBe('error');
  });
});

describe('an amount that counts something else', () => {
  const counts: readonly Case[] = [
    [
      'Kraken: the quote currency, by a list',
      'kraken',
      placedWith('oflags[]=viqc'),
      order('XBTUSD', '0.01'),
    ],
    [
      'Kraken: the quote currency, in capitals',
      'kraken',
      placedWith('oflags=VIQC'),
      order('XBTUSD', '0.01'),
    ],
    [
      'Kraken: tokenized shares',
      'kraken',
      kraken('Withdraw', 'asset=AAPLx&key=k&amount=1&rebase_multiplier=base'),
      move('withdraw', 'AAPLx', '1'),
    ],
    ...['BTC-PERPETUAL', 'ETH-25MAR26', 'BTC-FS-25MAR26'].map((name): Case => [
      `Deribit: dollars, at ${name}`,
      'deribit',
      deribit('buy', `instrument_name=${name}&amount=1000&type=market`),
      order(name, '1000'),
    ]),
    [
      'OKX: an algorithmic order knows whether it counts the quote currency',
      'okx',
      okx('trade/amend-algos', { instId: 'BTC-USDT', algoId: '1', newSz: '1' }),
      { ...market('BTC-USDT'), amount: { max: '1' } },
    ],
  ];

  it.each(counts)('%s', (_name, venueId, request, when) => {
    expect(['fails', 'error']).toContain(tryRule(venueId, request, when));
  });
});

describe('a block trade gives funds to whom one names', () => {
  it.each(['create-rfq', 'create-quote', 'execute-quote'])('OKX rfq/%s is a withdrawal', (path) => {
    const legs = [{ px: '1', sz: '100', instId: 'BTC-USDT', side: 'sell' }];
    const request = okx(`rfq/${path}`, { rfqId: '1', quoteId: '2', quoteSide: 'sell', legs });
    expect(factsOf('okx', request).operationClass).toBe('withdraw');
    expect(tryRule('okx', request, {})).toBe('fails');
  });
});

describe('a path off the table that is signed like one of the table', () => {
  const anything: Conditions = { operationClasses: ['unknown'] };

  it('Kraken Futures: the branch before /api is not signed', () => {
    const body = 'currency=xbt&amount=1&targetWallet=w';
    for (const path of ['/api/v3/withdrawal', '/api/v3/sendorder', '/api/v3/accounts']) {
      expect(tryRule('kraken_futures', { path, query: body }, anything)).toBe('refused');
    }
    const history = { method: 'GET', path: '/derivatives/api/history/v2/orders' };
    expect(tryRule('kraken_futures', history, anything)).toBe('refused');
    expect(tryRule('kraken_futures', { path: '/api/v3/nothing' }, anything)).toBe('holds');
  });

  it('Bitfinex: the nonce follows the path without a boundary', () => {
    const body = { wallet: 'exchange', method: 'bitcoin', amount: '1', address: 'x' };
    for (const path of ['withdraw0', 'withdraw17', 'order/submit0', 'nothing9']) {
      expect(tryRule('bitfinex', bitfinex(path, body), anything)).toBe('refused');
    }
    expect(tryRule('bitfinex', bitfinex('nothing', body), anything)).toBe('holds');
    expect(tryRule('bitfinex', post('/v2/auth/r/funding/loans/f1', {}), {})).toBe('refused');
  });
});
