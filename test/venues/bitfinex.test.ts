import { createHmac } from 'node:crypto';
import { describe, expect, test } from '@jest/globals';
import { BITFINEX } from '@countersign/venues/bitfinex.js';
import { BITFINEX_ENDPOINTS } from '@countersign/venues/tables/bitfinex-endpoints.js';
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
} from '../support/venue-checks.ts';
import { ambiguousBodies, disguisesOf } from '../support/venue-smuggling.ts';
import { describeTable } from '../support/venue-table.ts';

await loadCcxt('bitfinex');

const KEY: VenueKey = { type: 'hmac', apiKey: 'Qz3nT0pRb1' };
const SECRET = Buffer.from('7Kx0secretText');
const AT = 1_700_000_000_000;
const NONCE = 1_700_000_000_000_123;
const MOMENT = { at: AT, nonce: BigInt(NONCE), requestId: '4885f793-e5ad-4c3b-8f6c-55d891472b71' };

const WITHDRAWAL = restRequest('POST /v2/auth/w/withdraw', {
  body: '{"wallet":"exchange","method":"bitcoin","amount":"1","address":"1Hkx"}',
});
const ORDER = restRequest('POST /v2/auth/w/order/submit', {
  body: '{"type":"EXCHANGE LIMIT","symbol":"tBTCUSD","amount":"-0.5","price":"50000"}',
});

describeTable({
  venue: BITFINEX,
  endpoints: BITFINEX_ENDPOINTS,
  key: KEY,
  placeholders: { symbol: 'tBTCUSD', currency: 'BTC', key: 'base', symbol_and_id: 'tBTCUSD:1' },
  bodies: { 'POST /v2/auth/w/order/multi': '{"ops":[["oc",{"id":1}]]}' },
});

describe('signing', () => {
  const calls = [
    ['read', 'auth/r/wallets', {}],
    ['read', 'auth/r/orders/{symbol}/hist', { symbol: 'tBTCUSD', limit: 5 }],
    ['trade', 'auth/w/order/submit', { type: 'LIMIT', symbol: 'tBTCUSD', amount: '1', price: '2' }],
    ['transfer', 'auth/w/transfer', { from: 'a', to: 'b', currency: 'UST', amount: '1' }],
    ['withdraw', 'auth/w/withdraw', { wallet: 'exchange', method: 'bitcoin', amount: '1' }],
  ] as const;

  test.each(calls)('%s at %s: the bytes of ccxt', (operationClass, path, params) => {
    const { ours, ccxt, ...rest } = compareWithCcxt(
      BITFINEX,
      { key: KEY, secret: SECRET },
      {
        exchange: 'bitfinex',
        api: 'private',
        method: 'POST',
        path,
        params,
        apiKey: KEY.apiKey,
        secret: SECRET.toString(),
        at: AT,
        nonce: NONCE,
      },
    );
    expect(ours).toEqual(ccxt);
    expect(rest.operationClass).toBe(operationClass);
  });

  test('the signed path begins with /api, the sent one does not; the nonce counts µs', () => {
    expect(BITFINEX.nonce).toBe('us');
    const plan = planOf(BITFINEX, restRequest('POST /v2/auth/r/wallets', { body: '{}' }), KEY);
    const composed = plan.compose(MOMENT);
    expect(Buffer.from(composed.message).toString()).toBe(`/api/v2/auth/r/wallets${NONCE}{}`);
    expect(composed.finish(Buffer.alloc(48), '').path).toBe('/v2/auth/r/wallets');
  });

  test('a WebSocket login opens the key', () => {
    const plan = planOf(BITFINEX, wsRequest('auth', { filter: ['trading'] }), KEY);
    expect(plan.facts).toMatchObject({ operationClass: 'session', binds: ['session'] });
    expect(JSON.parse(signPlan(plan, SECRET, MOMENT).body)).toEqual({
      filter: ['trading'],
      apiKey: KEY.apiKey,
      authSig: createHmac('sha384', SECRET).update(`AUTH${NONCE}`).digest('hex'),
      authNonce: NONCE,
      authPayload: `AUTH${NONCE}`,
      event: 'auth',
    });
  });

  test('so does a token', () => {
    const token = restRequest('POST /v2/auth/w/token', { body: '{"scope":"api","caps":["a"]}' });
    expect(planOf(BITFINEX, token, KEY).facts.binds).toEqual(['session']);
  });
});

describe('a withdrawal is never taken for something harmless', () => {
  test.each(disguisesOf(WITHDRAWAL, ORDER))('%s', (_, request) => {
    expect(['read', 'trade']).not.toContain(classOf(BITFINEX, request, KEY));
  });

  test.each(ambiguousBodies(ORDER.body))('an order with %s is refused', (_, body) => {
    expect(classOf(BITFINEX, { ...ORDER, body }, KEY)).toBe('refused');
  });

  test.each(['GET', 'PUT', 'DELETE', 'PATCH'])('%s is not signed, and refused', (method) => {
    for (const path of ['/v2/auth/w/withdraw', '/v2/auth/r/wallets', '/v2/auth/x']) {
      const request = restRequest(`${method} ${path}`);
      expect(refusalOf(BITFINEX, request, KEY)).toContain('POST');
    }
  });

  test('the query is not signed, and must be empty', () => {
    const request = { ...ORDER, query: 'cid=9' };
    expect(refusalOf(BITFINEX, request, KEY)).toContain('does not sign the query');
  });
});

describe('facts', () => {
  function factsOf(path: string, body: unknown) {
    const request = restRequest(`POST /v2/auth/${path}`, { body: JSON.stringify(body) });
    return planOf(BITFINEX, request, KEY).facts;
  }

  test('an order sells a negative amount', () => {
    expect(planOf(BITFINEX, ORDER, KEY).facts).toEqual({
      venueId: 'bitfinex',
      operationClass: 'trade',
      endpoint: 'POST /v2/auth/w/order/submit',
      symbols: ['tBTCUSD'],
      sides: ['sell'],
      amounts: ['0.5'],
      quoteAmounts: [],
      contracts: [],
      undecidable: [],
      binds: ['path', 'body', 'nonce'],
    });
    expect(factsOf('w/order/submit', { symbol: 'tBTCUSD', amount: 2 })).toMatchObject({
      sides: ['buy'],
      amounts: ['2'],
    });
  });

  test.each(['+1', '--1', '1e5', '', ' 1', '0x1', null, [1]])(
    'an amount of %j is refused',
    (amount) => {
      const body = JSON.stringify({ symbol: 'tBTCUSD', amount });
      expect(classOf(BITFINEX, { ...ORDER, body }, KEY)).toBe('refused');
    },
  );

  test('a change by a difference is not comparable', () => {
    expect(factsOf('w/order/update', { id: 1, delta: '5' })).toMatchObject({
      undecidable: ['amount'],
    });
  });

  test('funding is neither bought nor sold', () => {
    const offer = { type: 'LIMIT', symbol: 'fUSD', amount: '-100', rate: '0.001', period: 2 };
    expect(factsOf('w/funding/offer/submit', offer)).toMatchObject({
      operationClass: 'trade',
      symbols: ['fUSD'],
      sides: [],
      amounts: ['100'],
    });
  });

  test('every operation of a batch counts', () => {
    const ops = [
      ['on', { type: 'LIMIT', symbol: 'tBTCUSD', amount: '1', price: '2' }],
      ['on', { type: 'LIMIT', symbol: 'tETHUSD', amount: '-3', price: '2' }],
      ['oc', { id: 1 }],
      ['oc_multi', { id: [1, 2] }],
    ];
    expect(factsOf('w/order/multi', { ops })).toMatchObject({
      operationClass: 'trade',
      symbols: ['tBTCUSD', 'tETHUSD'],
      sides: ['buy', 'sell'],
      amounts: ['1', '3'],
    });
  });

  test('an amendment beside an order leaves symbols open', () => {
    const ops = [
      ['on', { type: 'LIMIT', symbol: 'tBTCUSD', amount: '1', price: '2' }],
      ['ou', { id: 7, amount: '9' }],
    ];
    expect(factsOf('w/order/multi', { ops }).undecidable).toEqual(['symbols']);
  });

  test.each([
    [[]],
    ['x'],
    [[['withdraw', {}]]],
    [[['constructor', {}]]],
    [[['on']]],
    [[['on', { amount: '1' }, {}]]],
    [[['on', { symbol: 'tBTCUSD', total: '9' }]]],
    [[{ on: {} }]],
  ])('a batch of %j is refused', (ops) => {
    const request = restRequest('POST /v2/auth/w/order/multi', { body: JSON.stringify({ ops }) });
    expect(classOf(BITFINEX, request, KEY)).toBe('refused');
  });

  test('a withdrawal names its transport, in the spelling of the venue', () => {
    expect(planOf(BITFINEX, WITHDRAWAL, KEY).facts).toMatchObject({
      operationClass: 'withdraw',
      symbols: ['bitcoin'],
      amounts: ['1'],
    });
    const body = WITHDRAWAL.body.replace('bitcoin', 'Bitcoin');
    expect(classOf(BITFINEX, { ...WITHDRAWAL, body }, KEY)).toBe('refused');
  });

  test('the symbol in a path is not the one of a parameter', () => {
    const facts = factsOf('r/orders/tBTCUSD', { symbol: 'tETHUSD' });
    expect(facts).toMatchObject({ operationClass: 'read', symbols: ['tBTCUSD'] });
  });

  test('the vault sets nonce and signature', () => {
    for (const name of ['authSig', 'authNonce', 'authPayload', 'apiKey']) {
      const request = wsRequest('auth', { [name]: 'x' });
      expect(refusalOf(BITFINEX, request, KEY)).toContain(name);
    }
    expect(classOf(BITFINEX, wsRequest('on'), KEY)).toBe('refused');
  });
});
