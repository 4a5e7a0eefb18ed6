import { generateKeyPairSync, sign } from 'node:crypto';
import { describe, expect, test } from '@jest/globals';
import { BACKPACK } from '@countersign/venues/backpack.js';
import { endpointName } from '@countersign/venues/engine/endpoint-table.js';
import {
  BACKPACK_ENDPOINTS,
  BACKPACK_INSTRUCTIONS,
} from '@countersign/venues/tables/backpack-endpoints.js';
import type { VenueKey, VenueRequest } from '@countersign/venues/engine/venue.js';
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

await loadCcxt('backpack');

const { privateKey } = generateKeyPairSync('ed25519');
const { d = '', x = '' } = privateKey.export({ format: 'jwk' });
const SEED = Buffer.from(d, 'base64url').toString('base64');
/** The public key. */
const KEY: VenueKey = {
  type: 'ed25519',
  apiKey: Buffer.from(x, 'base64url').toString('base64'),
};
const AT = 1_750_793_021_519;
const MOMENT = { at: AT, nonce: 0n, requestId: '4885f793-e5ad-4c3b-8f6c-55d891472b71' };

const WITHDRAWAL = restRequest('POST /wapi/v1/capital/withdrawals', {
  body: '{"symbol":"SOL","quantity":"1","address":"9xQe","blockchain":"Solana"}',
});
const ORDER = restRequest('POST /api/v1/order', {
  body: '{"symbol":"SOL_USDC","side":"Bid","orderType":"Limit","price":"141","quantity":"12"}',
});

describeTable({ venue: BACKPACK, endpoints: BACKPACK_ENDPOINTS, key: KEY });

function messageOf(request: VenueRequest, at = AT): string {
  return Buffer.from(planOf(BACKPACK, request, KEY).compose({ ...MOMENT, at }).message).toString();
}

describe('signing', () => {
  // docs.backpack.exchange, authentication: both examples
  test('the cancellation of the documents', () => {
    const request = restRequest('DELETE /api/v1/order', {
      body: '{"orderId":28,"symbol":"BTC_USDT"}',
    });
    expect(messageOf(request, 1_614_550_000_000)).toBe(
      'instruction=orderCancel&orderId=28&symbol=BTC_USDT&timestamp=1614550000000&window=5000',
    );
  });

  test('the batch of the documents: the instruction stands before each order', () => {
    const order = { symbol: 'SOL_USDC_PERP', side: 'Bid', orderType: 'Limit' };
    const request = restRequest('POST /api/v1/orders', {
      body: JSON.stringify([
        { ...order, price: '141', quantity: '12' },
        { ...order, price: '140', quantity: '11' },
      ]),
    });
    expect(messageOf(request)).toBe(
      'instruction=orderExecute&orderType=Limit&price=141&quantity=12&side=Bid&symbol=SOL_USDC_PERP&' +
        'instruction=orderExecute&orderType=Limit&price=140&quantity=11&side=Bid&symbol=SOL_USDC_PERP&' +
        'timestamp=1750793021519&window=5000',
    );
  });

  const calls = [
    ['read', 'GET', 'api/v1/capital', {}],
    ['read', 'GET', 'wapi/v1/history/fills', { symbol: 'SOL_USDC', limit: 10 }],
    [
      'trade',
      'POST',
      'api/v1/order',
      { symbol: 'SOL_USDC', side: 'Ask', orderType: 'Limit', quantity: '1', postOnly: true },
    ],
    [
      'trade',
      'POST',
      'api/v1/orders',
      [
        { symbol: 'SOL_USDC', side: 'Ask', orderType: 'Market', quantity: '1' },
        { symbol: 'SOL_USDC', side: 'Bid', orderType: 'Market', quantity: '2' },
      ],
    ],
    ['cancel', 'DELETE', 'api/v1/order', { symbol: 'SOL_USDC', orderId: '28' }],
    [
      'withdraw',
      'POST',
      'wapi/v1/capital/withdrawals',
      { symbol: 'SOL', quantity: '1', address: '9xQe', blockchain: 'Solana' },
    ],
  ] as const;

  test.each(calls)('%s by %s at %s: the bytes of ccxt', (operationClass, method, path, params) => {
    const { ours, ccxt, ...rest } = compareWithCcxt(
      BACKPACK,
      { key: KEY, secret: privateKey },
      {
        exchange: 'backpack',
        api: 'private',
        method,
        path,
        params,
        apiKey: KEY.apiKey,
        secret: SEED,
        at: AT,
      },
      // the number of ccxt's broker account
      ['X-Broker-Id'],
    );
    expect(ours).toEqual(ccxt);
    expect(rest.operationClass).toBe(operationClass);
  });

  test('a private stream is a session', () => {
    const plan = planOf(BACKPACK, wsRequest('subscribe'), KEY);
    expect(plan.facts).toMatchObject({ operationClass: 'session', binds: ['session'] });
    const text = `instruction=subscribe&timestamp=${AT}&window=5000`;
    const proof = sign(null, Buffer.from(text), privateKey).toString('base64');
    expect(JSON.parse(signPlan(plan, privateKey, MOMENT).body)).toEqual({
      signature: [KEY.apiKey, proof, String(AT), '5000'],
    });
    expect(classOf(BACKPACK, wsRequest('subscribe', { params: [] }), KEY)).toBe('refused');
    expect(classOf(BACKPACK, wsRequest('orderExecute'), KEY)).toBe('refused');
  });

  test('only Ed25519 keys, no HMAC secrets', () => {
    expect(BACKPACK.hmacSecretEncodings).toEqual([]);
    expect(classOf(BACKPACK, ORDER, { type: 'hmac', apiKey: 'x' })).toBe('refused');
  });
});

describe('the instruction', () => {
  const onRest = BACKPACK_ENDPOINTS.filter(({ channel }) => channel === 'rest');

  test('stands for method and path: every endpoint has one, and one class for all that share it', () => {
    const classes = new Map<string, Set<string>>();
    for (const endpoint of onRest) {
      const instruction = BACKPACK_INSTRUCTIONS.get(endpointName(endpoint));
      expect(instruction).toMatch(/^[a-zA-Z]+$/);
      const known = classes.get(instruction!) ?? new Set();
      classes.set(instruction!, known.add(endpoint.operationClass));
    }
    expect([...classes.values()].filter((known) => known.size > 1)).toEqual([]);
    expect(BACKPACK_INSTRUCTIONS.size).toBe(onRest.length);
    expect(classes.has('subscribe')).toBe(false);
  });

  test('no endpoint off the table is signed for', () => {
    for (const line of ['POST /api/v1/rfq', 'POST /api/v1/withdraw', 'PUT /api/v1/order']) {
      expect(refusalOf(BACKPACK, restRequest(line), KEY)).toContain('instruction');
    }
  });

  test.each(['instruction', 'timestamp', 'window', 'Instruction', 'signature'])(
    '%s is not for the caller',
    (name) => {
      const body = `{"${name}":"withdraw",${ORDER.body.slice(1)}`;
      expect(refusalOf(BACKPACK, { ...ORDER, body }, KEY)).toContain(name);
    },
  );

  test.each([
    '"a&instruction=withdraw"',
    '"a=b"',
    '"a b"',
    '"a%26b"',
    '"a+b"',
    '1.5',
    '1e30',
    'null',
    '["a"]',
    '{"a":1}',
  ])('the value %s could be signed in two ways', (value) => {
    const body = `{"clientId":${value},${ORDER.body.slice(1)}`;
    expect(refusalOf(BACKPACK, { ...ORDER, body }, KEY)).toContain('unambiguously');
  });

  test('so could a name', () => {
    const body = `{"x&instruction=withdraw&y":"1",${ORDER.body.slice(1)}`;
    expect(classOf(BACKPACK, { ...ORDER, body }, KEY)).toBe('refused');
    const query = 'symbol[]=SOL_USDC';
    const orders = restRequest('GET /api/v1/orders', { query });
    expect(classOf(BACKPACK, orders, KEY)).toBe('refused');
  });

  test('parameters stand in one place', () => {
    expect(classOf(BACKPACK, { ...ORDER, query: 'quantity2=9' }, KEY)).toBe('refused');
  });
});

describe('a withdrawal is never taken for something harmless', () => {
  test.each(disguisesOf(WITHDRAWAL, ORDER))('%s', (_, request) => {
    // the list of withdrawals has an instruction of its own
    const isList = request.method === 'GET' && request.path === WITHDRAWAL.path;
    const classes = isList ? ['trade'] : ['read', 'trade'];
    expect(classes).not.toContain(classOf(BACKPACK, request, KEY));
  });

  test.each(ambiguousBodies(ORDER.body))('an order with %s is refused', (_, body) => {
    expect(classOf(BACKPACK, { ...ORDER, body }, KEY)).toBe('refused');
  });
});

describe('facts', () => {
  function factsOf(path: string, body: unknown) {
    return planOf(BACKPACK, restRequest(path, { body: JSON.stringify(body) }), KEY).facts;
  }

  test('an order: Bid buys, Ask sells', () => {
    expect(planOf(BACKPACK, ORDER, KEY).facts).toEqual({
      venueId: 'backpack',
      operationClass: 'trade',
      endpoint: 'POST /api/v1/order',
      symbols: ['SOL_USDC'],
      sides: ['buy'],
      amounts: ['12'],
      quoteAmounts: [],
      contracts: [],
      undecidable: [],
      binds: ['query', 'body', 'time'],
    });
    const batch = [
      { symbol: 'SOL_USDC', side: 'Bid', orderType: 'Limit', quantity: '1' },
      { symbol: 'BTC_USDC', side: 'Ask', orderType: 'Limit', quantity: '2' },
    ];
    expect(factsOf('POST /api/v1/orders', batch)).toMatchObject({
      symbols: ['SOL_USDC', 'BTC_USDC'],
      sides: ['buy', 'sell'],
      amounts: ['1', '2'],
    });
  });

  test.each(['Buy', 'bid', 'BID', ''])('the side %j is refused', (side) => {
    const body = ORDER.body.replace('Bid', side);
    expect(classOf(BACKPACK, { ...ORDER, body }, KEY)).toBe('refused');
  });

  test('what a market order spends', () => {
    const facts = factsOf('POST /api/v1/order', {
      symbol: 'SOL_USDC',
      side: 'Bid',
      orderType: 'Market',
      quoteQuantity: '100',
    });
    expect(sizeOf(facts)).toBe('quote_amount 100');
  });

  test('a withdrawal', () => {
    expect(planOf(BACKPACK, WITHDRAWAL, KEY).facts).toMatchObject({
      operationClass: 'withdraw',
      symbols: ['SOL'],
      amounts: ['1'],
    });
  });
});

test('the name of a parameter that cannot be signed is told in short, and in plain characters', () => {
  const name = `<b>${'x'.repeat(60_000)}`;
  const body = JSON.stringify({ symbol: 'SOL_USDC', [name]: 'a' });
  expect(refusalOf(BACKPACK, restRequest('POST /api/v1/order', { body }), KEY)).toBe(
    `"?b?${'x'.repeat(61)}..." has a value that cannot be signed unambiguously`,
  );
});
