import { createHmac } from 'node:crypto';
import { describe, expect, test } from '@jest/globals';
import { GEMINI } from '@countersign/venues/gemini.js';
import { GEMINI_ENDPOINTS } from '@countersign/venues/tables/gemini-endpoints.js';
import type { VenueKey } from '@countersign/venues/engine/venue.js';
import fc from 'fast-check';
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

await loadCcxt('gemini');

const KEY: VenueKey = { type: 'hmac', apiKey: 'account-Xk29vQ0lPz' };
const SECRET = Buffer.from('4MKc0secretText');
const AT = 1_700_000_000_000;
const MOMENT = {
  at: AT,
  nonce: 1_700_000_000_007n,
  requestId: '4885f793-e5ad-4c3b-8f6c-55d891472b71',
};

const WITHDRAWAL = restRequest('POST /v1/withdraw/btc', {
  body: '{"address":"1Hkx","amount":"1"}',
});
const ORDER = restRequest('POST /v1/order/new', {
  body: '{"symbol":"btcusd","amount":"0.1","price":"1","side":"buy","type":"exchange limit"}',
});

describeTable({
  venue: GEMINI,
  endpoints: GEMINI_ENDPOINTS,
  key: KEY,
  placeholders: { currency: 'btc', symbol: 'btcusd', network: 'bitcoin', ticker: 'btc' },
});

function payloadOf(headers: Readonly<Record<string, string>>): string {
  return Buffer.from(headers['X-GEMINI-PAYLOAD']!, 'base64').toString();
}

describe('signing', () => {
  const calls = [
    ['read', 'v1/mytrades', { symbol: 'btcusd', limit_trades: 10 }],
    ['read', 'v1/balances', {}],
    ['trade', 'v1/order/new', { symbol: 'btcusd', amount: '1', price: '2', side: 'sell' }],
    [
      'transfer',
      'v1/account/transfer/{currency}',
      { currency: 'btc', sourceAccount: 'a', targetAccount: 'b', amount: '1' },
    ],
    ['withdraw', 'v1/withdraw/{currency}', { currency: 'btc', address: '1Hkx', amount: '1' }],
  ] as const;

  test.each(calls)('%s at %s: the header of ccxt', (operationClass, path, params) => {
    const { ours, ccxt, ...rest } = compareWithCcxt(
      GEMINI,
      { key: KEY, secret: SECRET },
      {
        exchange: 'gemini',
        api: 'private',
        method: 'POST',
        path,
        params,
        apiKey: KEY.apiKey,
        secret: SECRET.toString(),
        at: AT,
        nonce: Number(MOMENT.nonce),
      },
    );
    // ccxt repeats the parameters in a body, which is not signed and which the venue does not read
    expect(ours).toEqual({ ...ccxt, body: '' });
    expect(rest.operationClass).toBe(operationClass);
  });

  test('the parameters keep the text in which they were stated', () => {
    const body = ' { "symbol" : "btcusd", "amount" : 0.10000000000000000001 , "side":"buy" } ';
    const plan = planOf(GEMINI, { ...ORDER, body }, KEY);
    const { headers } = signPlan(plan, SECRET, MOMENT);
    expect(payloadOf(headers)).toBe(
      '{"request":"/v1/order/new","nonce":"1700000000007","symbol" : "btcusd", ' +
        '"amount" : 0.10000000000000000001 , "side":"buy"}',
    );
    expect(headers['X-GEMINI-SIGNATURE']).toBe(
      createHmac('sha384', SECRET).update(headers['X-GEMINI-PAYLOAD']!).digest('hex'),
    );
  });

  test('whatever the parameters, the payload says them, its path and its nonce', () => {
    const anyParameters = fc.dictionary(
      fc
        .stringMatching(/^[a-z_]{1,12}$/)
        .filter((name) => !['request', 'nonce', 'symbol', '__proto__'].includes(name)),
      // without the backslash: a text with `\u` in it is refused
      fc.oneof(fc.stringMatching(/^[ -[\]-~]{0,20}$/), fc.integer(), fc.boolean()),
    );
    fc.assert(
      fc.property(anyParameters, (parameters) => {
        const request = restRequest('POST /v1/margin', { body: JSON.stringify(parameters) });
        const plan = planOf(GEMINI, request, KEY);
        expect(JSON.parse(payloadOf(signPlan(plan, SECRET, MOMENT).headers))).toEqual({
          ...parameters,
          request: '/v1/margin',
          nonce: '1700000000007',
        });
      }),
      { numRuns: 200 },
    );
  });

  test('the private WebSocket opens with the same headers', () => {
    const plan = planOf(GEMINI, restRequest('GET /v1/order/events'), KEY);
    expect(plan.facts).toMatchObject({ operationClass: 'session', binds: ['session'] });
    expect(payloadOf(signPlan(plan, SECRET, MOMENT).headers)).toBe(
      '{"request":"/v1/order/events","nonce":"1700000000007"}',
    );
    expect(classOf(GEMINI, wsRequest('login'), KEY)).toBe('refused');
  });
});

describe('a withdrawal is never taken for something harmless', () => {
  test.each(disguisesOf(WITHDRAWAL, ORDER))('%s', (_, request) => {
    expect(['read', 'trade']).not.toContain(classOf(GEMINI, request, KEY));
  });

  test.each(ambiguousBodies(ORDER.body))('an order with %s is refused', (_, body) => {
    expect(classOf(GEMINI, { ...ORDER, body }, KEY)).toBe('refused');
  });

  test('no path of the table is signed for another method', () => {
    for (const endpoint of GEMINI_ENDPOINTS) {
      const path = endpoint.template.replaceAll(/\{\w+\}/g, 'btc');
      for (const method of ['GET', 'POST', 'PUT', 'DELETE', 'PATCH']) {
        if (method === endpoint.method) continue;
        expect(refusalOf(GEMINI, restRequest(`${method} ${path}`), KEY)).toContain('method');
      }
    }
  });

  test('the query is not signed, and must be empty', () => {
    const request = { ...ORDER, query: 'account=9' };
    expect(refusalOf(GEMINI, request, KEY)).toContain('does not sign the query');
  });

  test.each(['request', 'nonce', 'Nonce', 'REQUEST'])('%s is not for the caller', (name) => {
    const body = `{"${name}":"/v1/withdraw/btc",${ORDER.body.slice(1)}`;
    expect(refusalOf(GEMINI, { ...ORDER, body }, KEY)).toContain(name);
  });

  test('a list cannot hold the path', () => {
    expect(classOf(GEMINI, { ...ORDER, body: `[${ORDER.body}]` }, KEY)).toBe('refused');
  });
});

describe('facts', () => {
  test('an order', () => {
    expect(planOf(GEMINI, ORDER, KEY).facts).toEqual({
      venueId: 'gemini',
      operationClass: 'trade',
      endpoint: 'POST /v1/order/new',
      symbols: ['btcusd'],
      sides: ['buy'],
      amounts: ['0.1'],
      quoteAmounts: [],
      contracts: [],
      undecidable: [],
      binds: ['path', 'body', 'nonce'],
    });
  });

  test('a symbol in capitals is the same market, which rules compare without case; in both it is refused', () => {
    const inCapitals = ORDER.body.replace('btcusd', 'BTCUSD');
    expect(planOf(GEMINI, { ...ORDER, body: inCapitals }, KEY).facts).toMatchObject({
      operationClass: 'trade',
      symbols: ['BTCUSD'],
    });
    const body = ORDER.body.replace('btcusd', 'BTCusd');
    expect(classOf(GEMINI, { ...ORDER, body }, KEY)).toBe('refused');
  });

  test('the currency of a withdrawal stands in its path', () => {
    expect(planOf(GEMINI, WITHDRAWAL, KEY).facts).toMatchObject({
      operationClass: 'withdraw',
      endpoint: 'POST /v1/withdraw/{currency}',
      symbols: ['btc'],
      amounts: ['1'],
    });
    const v2 = restRequest('POST /v2/withdraw/bitcoin/btc', { body: WITHDRAWAL.body });
    expect(planOf(GEMINI, v2, KEY).facts).toMatchObject({ symbols: ['btc'], amounts: ['1'] });
    const claimed = { ...WITHDRAWAL, body: '{"address":"1","amount":"1","currency":"doge"}' };
    expect(classOf(GEMINI, claimed, KEY)).toBe('refused');
  });

  test('what an instant purchase spends is not comparable', () => {
    const body = '{"symbol":"btcusd","side":"buy","totalSpend":"100"}';
    const request = restRequest('POST /v1/instant/quote', { body });
    expect(planOf(GEMINI, request, KEY).facts).toMatchObject({ undecidable: ['amount'] });
  });
});
