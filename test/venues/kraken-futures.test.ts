import { createHash, createHmac } from 'node:crypto';
import { describe, expect, test } from '@jest/globals';
import { endpointName } from '@countersign/venues/engine/endpoint-table.js';
import { KRAKEN_FUTURES, KRAKEN_FUTURES_ENDPOINTS } from '@countersign/venues/kraken-futures.js';
import type { VenueKey } from '@countersign/venues/engine/venue.js';
import fc from 'fast-check';
import { compareWithCcxt } from '../support/ccxt-comparison.ts';
import { loadCcxt } from '../support/ccxt-signing.ts';
import {
  classOf,
  oneLetterOff,
  planOf,
  refusalOf,
  restRequest,
  signPlan,
  wsRequest,
  sizeOf,
} from '../support/venue-checks.ts';

await loadCcxt('krakenfutures');

const SECRET = Buffer.alloc(64, 7);
const KEY: VenueKey = { type: 'hmac', apiKey: 'an/api+key' };
const MOMENT = { at: 1, nonce: 0n, requestId: '' };

const ORDER = 'orderType=lmt&symbol=PF_XBTUSD&side=buy&size=0.1&limitPrice=9';
const WITHDRAWAL = 'targetWallet=spot&currency=XBT&amount=0.5';

function call(line: string, parts: { query?: string; body?: string } = {}) {
  const [method = '', path = ''] = line.split(' ');
  return restRequest(`${method} /derivatives/api/v3/${path}`, parts);
}

function classify(request: ReturnType<typeof restRequest>) {
  return classOf(KRAKEN_FUTURES, request, KEY);
}

function factsOf(line: string, parts: { query?: string; body?: string } = {}) {
  return planOf(KRAKEN_FUTURES, call(line, parts), KEY).facts;
}

describe('the same bytes as ccxt', () => {
  const batch = {
    batchOrder: [
      {
        order: 'send',
        order_tag: '1',
        symbol: 'PF_XBTUSD',
        side: 'buy',
        size: '1',
        orderType: 'mkt',
      },
    ],
  };
  test.each([
    ['a read', 'private', 'GET', 'accounts', {}, 'read'],
    [
      'a read with parameters',
      'private',
      'GET',
      'fills',
      { lastFillTime: '2026-01-01T00:00:00.000Z' },
      'read',
    ],
    ['a read of history', 'history', 'GET', 'orders', { count: 5 }, 'read'],
    [
      'an order',
      'private',
      'POST',
      'sendorder',
      {
        orderType: 'lmt',
        symbol: 'PF_XBTUSD',
        side: 'buy',
        size: '0.1',
        limitPrice: 9,
        cliOrdId: 'a/b',
      },
      'trade',
    ],
    ['a batch as raw JSON', 'private', 'POST', 'batchorder', batch, 'trade'],
    [
      'a withdrawal',
      'private',
      'POST',
      'withdrawal',
      { currency: 'XBT', amount: '0.5' },
      'withdraw',
    ],
  ])('%s', (_, api, method, path, params, expected) => {
    const compared = compareWithCcxt(
      KRAKEN_FUTURES,
      { key: KEY, secret: SECRET },
      {
        exchange: 'krakenfutures',
        api,
        method,
        path,
        params,
        apiKey: KEY.apiKey,
        secret: SECRET.toString('base64'),
        at: MOMENT.at,
        ...(api === 'history'
          ? { options: { access: { history: { GET: { orders: 'private' } } } } }
          : {}),
      },
    );
    expect(compared.ours).toEqual(compared.ccxt);
    expect(compared.operationClass).toBe(expected);
  });

  test('the WebSocket challenge: SHA-256 of it under HMAC-SHA512', () => {
    const challenge = '226aee50-88fc-4618-a42a-34f7709570b2';
    const plan = planOf(KRAKEN_FUTURES, wsRequest('challenge', { challenge }), KEY);
    expect(JSON.parse(signPlan(plan, SECRET, MOMENT).body)).toEqual({
      api_key: KEY.apiKey,
      original_challenge: challenge,
      signed_challenge: createHmac('sha512', SECRET)
        .update(createHash('sha256').update(challenge).digest())
        .digest('base64'),
    });
    expect(plan.facts).toMatchObject({ operationClass: 'session', binds: ['session'] });
  });
});

describe('classes', () => {
  test.each([
    ['POST withdrawal', 'withdraw'],
    ['POST transfer', 'transfer'],
    ['POST transfer/subaccount', 'transfer'],
    ['POST sendorder', 'trade'],
    ['POST editorder', 'trade'],
    ['POST cancelorder', 'cancel'],
    ['POST cancelallorders', 'cancel'],
    ['GET openorders', 'read'],
    ['GET leveragepreferences', 'read'],
    ['GET subaccount/5fc5/trading-enabled', 'read'],
  ])('%s is %s', (line, operationClass) => {
    expect(factsOf(line)).toMatchObject({ operationClass, binds: ['path', 'query', 'body'] });
  });

  test('a read whose signature does a change by another method counts as that change', () => {
    expect(factsOf('GET leveragepreferences', { query: 'symbol=PF_XBTUSD' })).toMatchObject({
      operationClass: 'trade',
      endpoint: 'PUT /derivatives/api/v3/leveragepreferences',
    });
    expect(
      classify(call('GET subaccount/5fc5/trading-enabled', { query: 'tradingEnabled=true' })),
    ).toBe('key_admin');
  });
});

describe('a withdrawal dressed as something else', () => {
  test.each([
    ['by GET', call('GET withdrawal', { query: WITHDRAWAL })],
    ['by PUT', call('PUT withdrawal', { body: WITHDRAWAL })],
    ['in capitals', call('POST WITHDRAWAL', { body: WITHDRAWAL })],
    ['with a slash behind', call('POST withdrawal/', { body: WITHDRAWAL })],
    ['with a segment behind', call('POST withdrawal/x', { body: WITHDRAWAL })],
    ['behind an order', call('POST sendorder/../withdrawal', { body: WITHDRAWAL })],
    ['with two slashes', call('POST /withdrawal', { body: WITHDRAWAL })],
    ['with an encoded letter', call('POST %77ithdrawal', { body: WITHDRAWAL })],
    ['with a look-alike letter', call('POST withdrаwal', { body: WITHDRAWAL })],
    [
      'of another version',
      restRequest('POST /derivatives/api/v4/withdrawal', { body: WITHDRAWAL }),
    ],
    ['without the branch', restRequest('POST /api/v3/withdrawal', { body: WITHDRAWAL })],
    ['as a subaccount', call('PUT subaccount/withdrawal', { body: WITHDRAWAL })],
    ['split between query and body', call('POST sendorder', { query: ORDER, body: WITHDRAWAL })],
    [
      'with a path inside a value',
      call('POST sendorder', { body: `${ORDER}&cliOrdId=a/api/v3/withdrawal` }),
    ],
    ['with a parameter twice', call('POST sendorder', { body: `${ORDER}&size=9` })],
    [
      'with a symbol in both cases',
      call('POST sendorder', { body: ORDER.replace('PF_XBTUSD', 'pf_XBTUSD') }),
    ],
    ['with an encoded name', call('POST sendorder', { body: `${ORDER}&%73ize=9` })],
    [
      'with an amount in another case',
      call('POST sendorder', { body: `symbol=PF_XBTUSD&side=buy&Size=9` }),
    ],
    [
      'raw JSON that is a form too',
      call('POST batchorder', {
        body: 'json={"batchOrder":[{"order":"cancel","cliOrdId":"&x=1"}]}',
      }),
    ],
    [
      'raw JSON with a path',
      call('POST batchorder', { body: 'json={"batchOrder":[{"cliOrdId":"/api/v3/withdrawal"}]}' }),
    ],
    [
      'raw JSON with a key twice',
      call('POST batchorder', { body: 'json={"batchOrder":[{"size":"1","size":"2"}]}' }),
    ],
    ['raw JSON with another field', call('POST batchorder', { body: 'json={"batchOrder":[]}' })],
  ])('%s', (_, request) => {
    expect(['withdraw', 'transfer', 'unknown', 'refused']).toContain(classify(request));
  });

  test('a WebSocket challenge that is a signed request in disguise is refused', () => {
    for (const challenge of [
      `${WITHDRAWAL}/api/v3/withdrawal`,
      '226AEE50-88fc-4618-a42a-34f7709570b2',
      '226aee50-88fc-4618-a42a-34f7709570b2/api/v3/withdrawal',
      '',
      7,
    ]) {
      expect(refusalOf(KRAKEN_FUTURES, wsRequest('challenge', { challenge }), KEY)).toContain(
        'UUID',
      );
    }
    expect(classify(wsRequest('challenge'))).toBe('refused');
    expect(classify(wsRequest('subscribe', { challenge: 'x' }))).toBe('refused');
  });

  test('one letter changed in any path leaves the table', () => {
    const rows = KRAKEN_FUTURES_ENDPOINTS.filter(
      ({ channel, template }) => channel === 'rest' && !template.includes('{'),
    );
    const known = new Set(rows.map(endpointName));
    fc.assert(
      fc.property(
        fc
          .constantFrom(...rows)
          .chain(({ method, template }) =>
            oneLetterOff(template).map((path) => `${method} ${path}`),
          ),
        (line) => {
          fc.pre(!known.has(line));
          expect(['unknown', 'refused']).toContain(classify(restRequest(line)));
        },
      ),
      { numRuns: 1000 },
    );
  });
});

describe('facts', () => {
  test('an order in units of the asset, in the query or in the body', () => {
    const facts = { symbols: ['PF_XBTUSD'], sides: ['buy'], amounts: ['0.1'], undecidable: [] };
    expect(factsOf('POST sendorder', { query: ORDER })).toMatchObject(facts);
    expect(factsOf('POST sendorder', { body: ORDER })).toMatchObject(facts);
  });

  test.each([
    ['symbol=PI_XBTUSD&side=buy&size=100', 'contracts 100'],
    ['side=buy&size=5', 'undecidable'],
  ])('%s: %s', (body, size) => {
    expect(sizeOf(factsOf('POST sendorder', { body }))).toBe(size);
  });

  test('a batch gives every order, encoded or raw', () => {
    const batch = JSON.stringify({
      batchOrder: [
        { order: 'send', symbol: 'PF_XBTUSD', side: 'buy', size: '1' },
        { order: 'send', symbol: 'PF_ETHUSD', side: 'sell', size: 2 },
      ],
    });
    for (const body of [`json=${batch}`, `json=${encodeURIComponent(batch)}`]) {
      expect(factsOf('POST batchorder', { body })).toMatchObject({
        symbols: ['PF_XBTUSD', 'PF_ETHUSD'],
        sides: ['buy', 'sell'],
        amounts: ['1', '2'],
      });
    }
  });

  test('a transfer has its unit and amount', () => {
    const body = 'fromAccount=cash&toAccount=flex&unit=xbt&amount=1';
    expect(factsOf('POST transfer', { body })).toMatchObject({ symbols: ['xbt'], amounts: ['1'] });
  });
});

test('a signed request can be sent again, and says so: neither time nor nonce is bound', () => {
  const plan = planOf(KRAKEN_FUTURES, call('POST sendorder', { body: ORDER }), KEY);
  expect(plan.facts.binds).not.toContain('time');
  expect(plan.facts.binds).not.toContain('nonce');
  expect(signPlan(plan, SECRET, MOMENT)).toEqual(
    signPlan(plan, SECRET, { ...MOMENT, at: 9, nonce: 9n }),
  );
});
