import { createPublicKey, generateKeyPairSync, verify } from 'node:crypto';
import { describe, expect, test } from '@jest/globals';
import { COINBASE_ADVANCED } from '@countersign/venues/coinbase-advanced.js';
import { COINBASE_ADVANCED_ENDPOINTS } from '@countersign/venues/tables/coinbase-advanced-endpoints.js';
import type { VenueKey } from '@countersign/venues/engine/venue.js';
import type { VenueCondition } from '@countersign/venues/engine/venue-facts.js';
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
import { disguisesOf } from '../support/venue-smuggling.ts';
import { describeTable } from '../support/venue-table.ts';

await loadCcxt('coinbase');

const { privateKey, publicKey } = generateKeyPairSync('ed25519');
const { d = '', x = '' } = privateKey.export({ format: 'jwk' });
/** As the venue hands it out: seed and public key, 64 bytes in base64. */
const CDP_SECRET = Buffer.concat([Buffer.from(d, 'base64url'), Buffer.from(x, 'base64url')]);

const NAME = 'organizations/3b910e93/apiKeys/d2efa49a-369c-43d7-a60e-ae26e28853c2';
const KEY: VenueKey = { type: 'ed25519', apiKey: NAME };
const AT = 1_700_000_000_999;
const REQUEST_ID = '4885f793-e5ad-4c3b-8f6c-55d891472b71';
const MOMENT = { at: AT, nonce: 0n, requestId: REQUEST_ID };

const SEND = restRequest('POST /v2/accounts/a1/transactions', {
  body: '{"type":"send","to":"1Hkx","amount":"1","currency":"BTC"}',
});
const ORDER = restRequest('POST /api/v3/brokerage/orders', {
  body: '{"client_order_id":"1","product_id":"BTC-USD","side":"BUY"}',
});

describeTable({ venue: COINBASE_ADVANCED, endpoints: COINBASE_ADVANCED_ENDPOINTS, key: KEY });

function partsOf(jwt: string) {
  const [header = '', claims = '', signature = ''] = jwt.split('.');
  const read = (part: string): unknown => JSON.parse(Buffer.from(part, 'base64url').toString());
  return { header: read(header), claims: read(claims), text: `${header}.${claims}`, signature };
}

describe('signing', () => {
  const calls = [
    ['read', 'GET', ['v3', 'private'], 'brokerage/accounts', { limit: 250 }],
    ['trade', 'POST', ['v3', 'private'], 'brokerage/orders', { product_id: 'BTC-USD' }],
    [
      'transfer',
      'POST',
      ['v3', 'private'],
      'brokerage/portfolios/move_funds',
      { source_portfolio_uuid: 'a' },
    ],
    [
      'withdraw',
      'POST',
      ['v2', 'private'],
      'accounts/{account_id}/transactions',
      { account_id: 'a1', type: 'send', to: '1Hkx', amount: '1', currency: 'BTC' },
    ],
  ] as const;

  test.each(calls)('%s by %s: the bytes of ccxt', (operationClass, method, api, path, params) => {
    // a key whose name holds `organizations/` makes ccxt sign with EdDSA all the same
    const { ours, ccxt, ...rest } = compareWithCcxt(
      COINBASE_ADVANCED,
      { key: KEY, secret: privateKey },
      {
        exchange: 'coinbase',
        api,
        method,
        path,
        params,
        apiKey: NAME,
        secret: CDP_SECRET.toString('base64'),
        at: AT,
        requestId: REQUEST_ID,
      },
    );
    expect(ours).toEqual(ccxt);
    expect(rest.operationClass).toBe(operationClass);
  });

  test('the token names method, host and path for two minutes, and nothing of the query', () => {
    const request = restRequest('GET /api/v3/brokerage/accounts', { query: 'limit=1' });
    const { headers } = signPlan(planOf(COINBASE_ADVANCED, request, KEY), privateKey, MOMENT);
    const jwt = partsOf(headers['Authorization']!.replace('Bearer ', ''));
    expect(jwt.header).toEqual({
      alg: 'EdDSA',
      typ: 'JWT',
      kid: NAME,
      nonce: REQUEST_ID.replaceAll('-', ''),
    });
    expect(jwt.claims).toEqual({
      aud: ['cdp_service'],
      iss: 'cdp',
      nbf: 1_700_000_000,
      exp: 1_700_000_120,
      sub: NAME,
      iat: 1_700_000_000,
      uris: ['GET api.coinbase.com/api/v3/brokerage/accounts'],
    });
    const signature = Buffer.from(jwt.signature, 'base64url');
    expect(
      verify(
        null,
        Buffer.from(jwt.text),
        createPublicKey(publicKey.export({ format: 'pem', type: 'spki' })),
        signature,
      ),
    ).toBe(true);
  });

  test('a WebSocket token names no path: it opens the key', () => {
    const stated = { channel: 'user', product_ids: ['BTC-USD'] };
    const plan = planOf(COINBASE_ADVANCED, wsRequest('subscribe', stated), KEY);
    expect(plan.facts).toMatchObject({ operationClass: 'session', binds: ['session'] });
    const message = JSON.parse(signPlan(plan, privateKey, MOMENT).body) as { jwt: string };
    expect(message).toMatchObject({ ...stated, type: 'subscribe' });
    expect(partsOf(message.jwt).claims).not.toHaveProperty('uris');
  });

  test('only Ed25519 keys, no HMAC secrets', () => {
    expect(COINBASE_ADVANCED.hmacSecretEncodings).toEqual([]);
    for (const type of ['hmac', 'rsa'] as const) {
      expect(refusalOf(COINBASE_ADVANCED, ORDER, { type, apiKey: NAME })).toContain(type);
    }
  });
});

describe('a send is never taken for something harmless', () => {
  test.each(disguisesOf(SEND, ORDER))('%s', (_, request) => {
    // at the path of an order the venue holds the token to that path; a list is read by GET
    const isBound = request.path === ORDER.path || request.method === 'GET';
    const harmless = isBound ? [] : ['read', 'trade'];
    expect(harmless).not.toContain(classOf(COINBASE_ADVANCED, request, KEY));
  });

  test('the token of an order is one for the path of orders', () => {
    const { message } = planOf(COINBASE_ADVANCED, ORDER, KEY).compose(MOMENT);
    expect(partsOf(`${Buffer.from(message).toString()}.`).claims).toMatchObject({
      uris: ['POST api.coinbase.com/api/v3/brokerage/orders'],
    });
  });

  test.each([
    '{"type":"request","to":"a@b.c","amount":"1","currency":"BTC"}',
    '{"type":"transfer","to":"a2","amount":"1","currency":"BTC"}',
    '{}',
    '',
    'not JSON at all',
    '{"type":"send","type":"request"}',
  ])('whatever its body says: %s', (body) => {
    expect(classOf(COINBASE_ADVANCED, { ...SEND, body }, KEY)).toBe('withdraw');
  });
});

describe('what is not bound', () => {
  test.each(['symbols', 'sides', 'amount'] as const)('no rule can state %s', (condition) => {
    expect(COINBASE_ADVANCED.unbindable(condition)).toContain('neither query nor body');
  });

  test('endpoints can be stated', () => {
    expect(COINBASE_ADVANCED.unbindable('endpoints' satisfies VenueCondition)).toBeUndefined();
  });

  test('a request has no facts but its path, and says so', () => {
    expect(planOf(COINBASE_ADVANCED, ORDER, KEY).facts).toEqual({
      venueId: 'coinbase_advanced',
      operationClass: 'trade',
      endpoint: 'POST /api/v3/brokerage/orders',
      symbols: [],
      sides: [],
      amounts: [],
      quoteAmounts: [],
      contracts: [],
      undecidable: ['symbols', 'sides', 'amount'],
      binds: ['method', 'host', 'path', 'time'],
    });
    const unknown = planOf(COINBASE_ADVANCED, restRequest('POST /api/v3/brokerage/x'), KEY);
    expect(unknown.facts.undecidable).toEqual(['symbols', 'sides', 'amount']);
    const read = planOf(COINBASE_ADVANCED, restRequest('GET /v2/accounts'), KEY);
    expect(read.facts.undecidable).toEqual([]);
  });

  test('a token is not for the caller', () => {
    const request = wsRequest('subscribe', { channel: 'user', jwt: 'x' });
    expect(refusalOf(COINBASE_ADVANCED, request, KEY)).toContain('jwt');
    expect(classOf(COINBASE_ADVANCED, wsRequest('login'), KEY)).toBe('refused');
  });
});
