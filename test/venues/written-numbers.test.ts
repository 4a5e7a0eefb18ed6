/** A JSON number in an order is compared as it is written: what the venue reads is what the rule allowed. */
import { describe, expect, it } from '@jest/globals';
import { isRefusal } from '@countersign/core/errors.js';
import type { KeyType } from '@countersign/core/signature-schemes.js';
import { findVenue } from '@countersign/venues/venue-catalogue.js';
import type { VenueFacts } from '@countersign/venues/engine/venue-facts.js';
import type { Rule } from '@countersign/vault/state/state.js';
import { testOnVenueRequest } from '../support/venue-rules.ts';

/** One binary fraction with 0.01. */
const MORE = '0.010000000000000000001';
const MOMENT = { at: 1_700_000_000_000, nonce: 1n, requestId: '0'.repeat(8) };

const allowed: Rule = {
  id: 'r',
  displayName: 'r',
  enabled: true,
  when: { amount: { max: '0.01' }, operationClasses: ['trade', 'transfer', 'withdraw'] },
  then: 'allow',
};

interface Order {
  readonly path: string;
  /** With `#` where the amount stands. */
  readonly body: string;
  readonly keyType?: KeyType;
  readonly channel?: 'rest' | 'ws';
}

const pair = '"product_id":"BTC-USD","side":"buy","type":"limit","price":"1"';
const ORDERS: readonly (readonly [string, Order])[] = [
  [
    'bybit',
    {
      path: '/v5/order/create',
      body: '{"category":"linear","symbol":"BTCUSDT","side":"Buy","orderType":"Limit","qty":#,"price":"1"}',
    },
  ],
  [
    'bybit',
    {
      path: '/v5/order/create-batch',
      body: '{"category":"linear","request":[{"symbol":"BTCUSDT","side":"Buy","orderType":"Limit","qty":#,"price":"1"}]}',
    },
  ],
  [
    'okx',
    {
      path: '/api/v5/trade/order',
      body: '{"instId":"BTC-USDT","tdMode":"cash","side":"buy","ordType":"limit","px":"1","sz":#}',
    },
  ],
  [
    'okx',
    {
      path: '/api/v5/trade/batch-orders',
      body: '[{"instId":"BTC-USDT","tdMode":"cash","side":"buy","ordType":"limit","px":"1","sz":#}]',
    },
  ],
  [
    'gate',
    {
      path: '/api/v4/spot/orders',
      body: '{"currency_pair":"BTC_USDT","side":"buy","price":"1","amount":#}',
    },
  ],
  [
    'bitfinex',
    {
      path: '/v2/auth/w/order/submit',
      body: '{"type":"LIMIT","symbol":"tBTCUSD","price":"1","amount":#}',
    },
  ],
  [
    'bitfinex',
    {
      path: '/v2/auth/w/order/multi',
      body: '{"ops":[["on",{"type":"LIMIT","symbol":"tBTCUSD","price":"1","amount":-#}]]}',
    },
  ],
  [
    'kraken',
    {
      path: '/0/private/AddOrder',
      body: '{"pair":"XBTUSD","type":"buy","ordertype":"limit","price":"1","volume":#}',
    },
  ],
  [
    'kraken',
    {
      path: '/0/private/Withdraw',
      body: '{"asset":"XBT","key":"mine","amount":#}',
    },
  ],
  ['coinbase_exchange', { path: '/orders', body: `{${pair},"size":#}` }],
  [
    'gemini',
    {
      path: '/v1/order/new',
      body: '{"symbol":"btcusd","side":"buy","type":"exchange limit","price":"1","amount":#}',
    },
  ],
];

function factsOf(venueId: string, order: Order, amount: string): VenueFacts | undefined {
  const { path, body, keyType = 'hmac', channel = 'rest' } = order;
  const request = { method: 'POST', path, query: '', body: body.replace('#', amount), channel };
  const plan = findVenue(venueId)!.plan(request, { type: keyType, apiKey: 'key' });
  if (isRefusal(plan)) return undefined;
  const { finish } = plan.compose(MOMENT);
  // the text that was compared goes to the venue as it was stated
  const sent = finish(new Uint8Array(64), 'passphrase');
  const payload = Buffer.from(sent.headers['X-GEMINI-PAYLOAD'] ?? '', 'base64').toString();
  expect(sent.body + payload).toContain(amount);
  return plan.facts;
}

describe.each(ORDERS)('at %s', (venueId, order) => {
  it('an amount just above a limit is above it', () => {
    const facts = factsOf(venueId, order, MORE);
    expect(facts?.amounts).toEqual([MORE]);
    expect(testOnVenueRequest(allowed, facts)).toMatchObject({ result: 'fails' });
  });

  it('an amount at the limit is within it, however many zeros it ends in', () => {
    for (const amount of ['0.01', '0.0100', '0.009999999999999999999999']) {
      const facts = factsOf(venueId, order, amount);
      expect(facts?.amounts).toEqual([amount]);
      expect(testOnVenueRequest(allowed, facts)).toEqual({ result: 'holds' });
    }
  });

  it('an amount with an exponent is none', () => {
    expect(factsOf(venueId, order, '1e-2')).toBeUndefined();
    expect(factsOf(venueId, order, '1E3')).toBeUndefined();
  });
});

describe('a number that stands for something else', () => {
  it('has its sign and its flags read from the digits', () => {
    const submit = (flags: string) => ({
      path: '/v2/auth/w/order/submit',
      body: `{"type":"LIMIT","symbol":"tBTCUSD","price":"1","amount":#,"flags":${flags}}`,
    });
    const isOpen = (flags: string) =>
      factsOf('bitfinex', submit(flags), '0.01')!.undecidable.includes('amount');
    // binary fractions round these to sums without the flag 512
    for (const flags of ['512', '1023.99999999999999999', '4611686018427388416', '"x"', 'true']) {
      expect([flags, isOpen(flags)]).toEqual([flags, true]);
    }
    for (const flags of ['0', '4096', '"64"', 'null'])
      expect([flags, isOpen(flags)]).toEqual([flags, false]);
  });

  it('is signed by Backpack as it is sent, or not at all', () => {
    const plan = (quantity: string) =>
      findVenue('backpack')!.plan(
        {
          method: 'POST',
          path: '/api/v1/order',
          query: '',
          body: `{"orderType":"Limit","price":"1","quantity":${quantity},"side":"Bid","symbol":"SOL_USDC"}`,
          channel: 'rest',
        },
        { type: 'ed25519', apiKey: 'key' },
      );
    expect(isRefusal(plan('2'))).toBe(false);
    for (const quantity of ['2.0', '2e0', '9007199254740993', '2.0000000000000000001']) {
      expect(plan(quantity)).toMatchObject({ refused: 'invalid_inputs' });
    }
  });

  it('is taken by Binance on its WebSocket where it prints as it was written', () => {
    const plan = (quantity: string) =>
      findVenue('binance')!.plan(
        {
          method: 'order.place',
          path: '',
          query: '',
          body: `{"symbol":"BTCUSDT","side":"BUY","type":"MARKET","quantity":${quantity}}`,
          channel: 'ws',
        },
        { type: 'ed25519', apiKey: 'key' },
      );
    const taken = plan('2');
    expect(isRefusal(taken)).toBe(false);
    if (!isRefusal(taken)) {
      expect(Buffer.from(taken.compose(MOMENT).message).toString()).toContain('&quantity=2&');
    }
    for (const quantity of ['2.0', '2e0', '0.01', '9007199254740993', '-2']) {
      expect(plan(quantity)).toMatchObject({ refused: 'invalid_inputs' });
    }
  });
});
