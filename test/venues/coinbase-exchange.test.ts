import { createHmac } from 'node:crypto';
import { describe, expect, test } from '@jest/globals';
import { COINBASE_EXCHANGE } from '@countersign/venues/coinbase-exchange.js';
import { COINBASE_EXCHANGE_ENDPOINTS } from '@countersign/venues/tables/coinbase-exchange-endpoints.js';
import type { VenueKey } from '@countersign/venues/engine/venue.js';
import { compareWithCcxt } from '../support/ccxt-comparison.ts';
import { loadCcxt } from '../support/ccxt-signing.ts';
import {
  classOf,
  planOf,
  refusalOf,
  restRequest,
  signPlan,
  wsRequest,
  sizeOf,
} from '../support/venue-checks.ts';
import { ambiguousBodies, disguisesOf } from '../support/venue-smuggling.ts';
import { describeTable } from '../support/venue-table.ts';

await loadCcxt('coinbaseexchange');

const KEY: VenueKey = { type: 'hmac', apiKey: '1c7b9f52d8a34e60' };
const SECRET = Buffer.from('a secret that is handed out in base64, decoded');
const PASSPHRASE = 'correct horse';
const AT = 1_700_000_000_999;
const MOMENT = { at: AT, nonce: 0n, requestId: '4885f793-e5ad-4c3b-8f6c-55d891472b71' };

const WITHDRAWAL = restRequest('POST /withdrawals/crypto', {
  body: '{"amount":"1","currency":"BTC","crypto_address":"1Hkx"}',
});
const ORDER = restRequest('POST /orders', {
  body: '{"product_id":"BTC-USD","side":"buy","type":"limit","price":"50000","size":"0.1"}',
});

describeTable({ venue: COINBASE_EXCHANGE, endpoints: COINBASE_EXCHANGE_ENDPOINTS, key: KEY });

describe('signing', () => {
  const calls = [
    ['read', 'GET', 'fills', { product_id: 'BTC-USD', limit: 10 }],
    ['trade', 'POST', 'orders', { product_id: 'BTC-USD', side: 'sell', size: '1', price: '2' }],
    ['cancel', 'DELETE', 'orders/{id}', { id: 'a1' }],
    ['transfer', 'POST', 'profiles/transfer', { from: 'a', to: 'b', currency: 'BTC', amount: '1' }],
    [
      'withdraw',
      'POST',
      'withdrawals/crypto',
      { currency: 'BTC', amount: '1', crypto_address: '1Hkx' },
    ],
  ] as const;

  test.each(calls)('%s by %s at %s: the bytes of ccxt', (operationClass, method, path, params) => {
    const { ours, ccxt, ...rest } = compareWithCcxt(
      COINBASE_EXCHANGE,
      { key: KEY, secret: SECRET, passphrase: PASSPHRASE },
      {
        exchange: 'coinbaseexchange',
        api: 'private',
        method,
        path,
        params,
        apiKey: KEY.apiKey,
        secret: SECRET.toString('base64'),
        password: PASSPHRASE,
        at: AT,
        nonce: Math.floor(AT / 1000),
      },
    );
    expect(ours).toEqual(ccxt);
    expect(rest.operationClass).toBe(operationClass);
  });

  test('secrets are base64 and keys have a passphrase', () => {
    expect(COINBASE_EXCHANGE).toMatchObject({
      hmacSecretEncodings: ['base64'],
      passphrase: 'plain',
    });
  });

  test('a feed login is a signed request for its own path', () => {
    const stated = { channels: [{ name: 'user', product_ids: ['BTC-USD'] }] };
    const plan = planOf(COINBASE_EXCHANGE, wsRequest('subscribe', stated), KEY);
    expect(plan.facts).toMatchObject({ operationClass: 'session', binds: ['session'] });
    const signature = createHmac('sha256', SECRET)
      .update('1700000000GET/users/self/verify')
      .digest('base64');
    expect(JSON.parse(signPlan(plan, SECRET, MOMENT, PASSPHRASE).body)).toEqual({
      ...stated,
      type: 'subscribe',
      timestamp: 1700000000,
      key: KEY.apiKey,
      signature,
      passphrase: PASSPHRASE,
    });
  });

  test('that path is a session over REST too: its signature is the same', () => {
    const verify = restRequest('GET /users/self/verify');
    const rest = planOf(COINBASE_EXCHANGE, verify, KEY);
    const login = planOf(COINBASE_EXCHANGE, wsRequest('subscribe'), KEY);
    expect(rest.compose(MOMENT).message).toEqual(login.compose(MOMENT).message);
    expect(rest.facts.operationClass).toBe('session');
  });
});

describe('a withdrawal is never taken for something harmless', () => {
  test.each(disguisesOf(WITHDRAWAL, ORDER))('%s', (_, request) => {
    expect(['read', 'trade']).not.toContain(classOf(COINBASE_EXCHANGE, request, KEY));
  });

  test.each(ambiguousBodies(ORDER.body))('an order with %s is refused', (_, body) => {
    expect(classOf(COINBASE_EXCHANGE, { ...ORDER, body }, KEY)).toBe('refused');
  });

  test('path and body cannot be parted in two ways', () => {
    const split = restRequest('POST /withdrawals', { body: `/crypto${WITHDRAWAL.body}` });
    expect(classOf(COINBASE_EXCHANGE, split, KEY)).toBe('refused');
  });
});

describe('facts', () => {
  test('an order', () => {
    expect(planOf(COINBASE_EXCHANGE, ORDER, KEY).facts).toEqual({
      venueId: 'coinbase_exchange',
      operationClass: 'trade',
      endpoint: 'POST /orders',
      symbols: ['BTC-USD'],
      sides: ['buy'],
      amounts: ['0.1'],
      quoteAmounts: [],
      contracts: [],
      undecidable: [],
      binds: ['method', 'path', 'query', 'body', 'time'],
    });
  });

  test('what a market order spends, beside a size', () => {
    const body = '{"product_id":"BTC-USD","side":"buy","type":"market","funds":"100","size":"1"}';
    const { facts } = planOf(COINBASE_EXCHANGE, { ...ORDER, body }, KEY);
    expect(sizeOf(facts)).toBe('amount 1, quote_amount 100');
  });

  test('a withdrawal', () => {
    expect(planOf(COINBASE_EXCHANGE, WITHDRAWAL, KEY).facts).toMatchObject({
      operationClass: 'withdraw',
      symbols: ['BTC'],
      amounts: ['1'],
    });
  });

  test('an unlisted parameter makes a request unknown, a nested one too', () => {
    for (const body of ['{"product_id":"BTC-USD","side":"buy","quote_size":"9"}', '[{"side":1}]']) {
      expect(classOf(COINBASE_EXCHANGE, { ...ORDER, body }, KEY)).toBe('unknown');
    }
  });

  test('the vault sets signature, time and passphrase', () => {
    for (const name of ['signature', 'timestamp', 'passphrase', 'key']) {
      const request = wsRequest('subscribe', { channels: [], [name]: 'x' });
      expect(refusalOf(COINBASE_EXCHANGE, request, KEY)).toContain(name);
    }
  });
});
