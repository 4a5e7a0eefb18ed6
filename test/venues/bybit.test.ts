import { describe, expect, test } from '@jest/globals';
import { BYBIT } from '@countersign/venues/bybit.js';
import { endpointName } from '@countersign/venues/engine/endpoint-table.js';
import { BYBIT_ENDPOINTS } from '@countersign/venues/tables/bybit-endpoints.js';
import type { VenueKey } from '@countersign/venues/engine/venue.js';
import fc from 'fast-check';
import { compareWithCcxt } from '../support/ccxt-comparison.ts';
import { loadCcxt } from '../support/ccxt-signing.ts';
import { rsaTestKey } from '../support/rsa-test-keys.ts';
import {
  classOf,
  completeNames,
  graveRowsReached,
  oneLetterOff,
  planOf,
  refusalOf,
  restRequest,
  signPlan,
  wsRequest,
  type SigningSecret,
  sizeOf,
} from '../support/venue-checks.ts';
import { ambiguousBodies, disguisesOf } from '../support/venue-smuggling.ts';

await loadCcxt('bybit');

const KEY: VenueKey = { type: 'hmac', apiKey: 'XtAZmTQyDKYRQcrMzP' };
const SECRET = Buffer.from('a secret as the venue shows it');
const AT = 1_700_000_000_123;
const MOMENT = { at: AT, nonce: 0n, requestId: '4885f793-e5ad-4c3b-8f6c-55d891472b71' };

const WITHDRAWAL = {
  coin: 'USDT',
  chain: 'TRX',
  address: 'T1',
  amount: '24',
  timestamp: AT,
  accountType: 'FUND',
};
const ORDER = {
  category: 'spot',
  symbol: 'BTCUSDT',
  side: 'Buy',
  orderType: 'Limit',
  qty: '0.1',
  price: '9',
};

function post(path: string, body: unknown) {
  return restRequest(`POST ${path}`, { body: JSON.stringify(body) });
}

function classify(request: ReturnType<typeof restRequest>) {
  return classOf(BYBIT, request, KEY);
}

describe('the same bytes as ccxt', () => {
  const rsa = rsaTestKey('2048').privateKey;
  const keys: [VenueKey['type'], SigningSecret, string][] = [
    ['hmac', SECRET, SECRET.toString()],
    ['rsa', rsa, rsa.export({ format: 'pem', type: 'pkcs8' }).toString()],
  ];
  const calls = [
    ['a read', 'GET', 'v5/position/list', { category: 'linear', symbol: 'BTCUSDT' }, 'read'],
    ['an order', 'POST', 'v5/order/create', ORDER, 'trade'],
    ['a withdrawal', 'POST', 'v5/asset/withdraw/create', WITHDRAWAL, 'withdraw'],
  ] as const;

  test.each(
    keys.flatMap(([type, secret, text]) => calls.map((call) => ({ type, secret, text, call }))),
  )('$type key, $call.0', ({ type, secret, text, call: [, method, path, params, expected] }) => {
    const compared = compareWithCcxt(
      BYBIT,
      { key: { ...KEY, type }, secret },
      {
        exchange: 'bybit',
        api: 'private',
        method,
        path,
        params,
        apiKey: KEY.apiKey,
        secret: text,
        at: AT,
        options: { recvWindow: 5000 },
      },
      // the tag of ccxt's broker
      ['Referer'],
    );
    expect(compared.ours).toEqual(compared.ccxt);
    expect(compared.operationClass).toBe(expected);
  });

  test('the WebSocket login: GET/realtime and when it expires', () => {
    const plan = planOf(BYBIT, wsRequest('auth'), KEY);
    expect(Buffer.from(plan.compose(MOMENT).message).toString()).toBe('GET/realtime1700000010123');
    const [apiKey, expires, sign] = (
      JSON.parse(signPlan(plan, SECRET, MOMENT).body) as { args: string[] }
    ).args;
    expect([apiKey, expires]).toEqual([KEY.apiKey, '1700000010123']);
    expect(sign).toMatch(/^[0-9a-f]{64}$/);
    expect(plan.facts).toMatchObject({
      operationClass: 'session',
      symbols: [],
      binds: ['time', 'session'],
    });
  });
});

describe('classes', () => {
  test.each([
    ['/v5/asset/withdraw/create', WITHDRAWAL, 'withdraw'],
    ['/v5/asset/withdraw/cancel', { id: '1' }, 'withdraw'],
    [
      '/v5/asset/transfer/inter-transfer',
      {
        transferId: 'u',
        coin: 'BTC',
        amount: '1',
        fromAccountType: 'FUND',
        toAccountType: 'UNIFIED',
      },
      'transfer',
    ],
    [
      '/v5/asset/transfer/universal-transfer',
      {
        transferId: 'u',
        coin: 'BTC',
        amount: '1',
        fromMemberId: 1,
        toMemberId: 2,
        fromAccountType: 'FUND',
        toAccountType: 'UNIFIED',
      },
      'transfer',
    ],
    ['/v5/asset/transfer/save-transfer-sub-member', { subMemberIds: ['1'] }, 'transfer'],
    ['/v5/order/create', ORDER, 'trade'],
    ['/v5/order/amend', { category: 'linear', symbol: 'BTCUSDT', orderId: '1', qty: '2' }, 'trade'],
    ['/v5/order/cancel-all', { category: 'linear' }, 'cancel'],
    [
      '/v5/position/set-leverage',
      { category: 'linear', symbol: 'BTCUSDT', buyLeverage: '2', sellLeverage: '2' },
      'trade',
    ],
    ['/v5/user/create-sub-api', { subuid: 1, readOnly: 0, permissions: {} }, 'key_admin'],
    ['/v5/user/delete-api', {}, 'key_admin'],
  ])('POST %s %j is %s', (path, body, operationClass) => {
    expect(planOf(BYBIT, post(path, body), KEY).facts).toMatchObject({
      operationClass,
      endpoint: `POST ${path}`,
      binds: ['query', 'body', 'time'],
    });
  });

  test('a read of withdrawals stays a read, whatever it filters by', () => {
    const query = 'coin=USDT&withdrawID=1&limit=10&cursor=a%3Ab%3D';
    expect(classify(restRequest('GET /v5/asset/withdraw/query-record', { query }))).toBe('read');
  });

  test('nothing that counts as read or trade satisfies an endpoint that moves funds', () => {
    const byPost = BYBIT_ENDPOINTS.filter(({ carriers }) => carriers.includes('json'));
    const single = byPost.filter(
      ({ channel, entries }) => channel === 'rest' && entries === undefined,
    );
    fc.assert(
      fc.property(
        fc
          .constantFrom(...single)
          .chain((row) => completeNames(row).map((names) => ({ row, names }))),
        ({ row, names }) => {
          const body = Object.fromEntries(
            names.map((name) => [name, name === 'side' ? 'Buy' : '1']),
          );
          const seen = classify(post(row.template, body));
          if (seen === 'read' || seen === 'trade') {
            expect(graveRowsReached(byPost, names)).toEqual([]);
          }
        },
      ),
      { numRuns: 2000 },
    );
  });
});

describe('a withdrawal dressed as something else', () => {
  const withdrawal = post('/v5/asset/withdraw/create', WITHDRAWAL);
  const trade = post('/v5/order/create', ORDER);

  test.each(disguisesOf(withdrawal, trade))('%s', (_, request) => {
    expect(['withdraw', 'transfer', 'unknown', 'refused']).toContain(classify(request));
  });

  test.each(ambiguousBodies(JSON.stringify(ORDER)))('%s in the body is refused', (_, body) => {
    expect(classify({ ...trade, body })).toBe('refused');
  });

  test.each([
    ['a query beside the body', { ...trade, query: 'coin=USDT' }],
    ['a body beside the query', { ...trade, method: 'GET', query: 'category=spot' }],
    ['an array', { ...trade, body: '[{"coin":"USDT"}]' }],
    ['a form as body', { ...trade, body: 'coin=USDT&address=T1&amount=1' }],
    ['a PUT', { ...trade, method: 'PUT' }],
  ])('%s is refused', (_, request) => {
    expect(classify(request)).toBe('refused');
  });

  test('beside the orders of a batch it is no trade', () => {
    const body = { category: 'spot', request: [ORDER], ...WITHDRAWAL };
    expect(['unknown', 'refused', 'withdraw']).toContain(
      classify(post('/v5/order/create-batch', body)),
    );
  });

  test('one letter changed in any path that moves funds leaves the table', () => {
    const known = new Set(BYBIT_ENDPOINTS.map(endpointName));
    const rows = BYBIT_ENDPOINTS.filter(
      ({ operationClass }) => operationClass === 'withdraw' || operationClass === 'transfer',
    );
    fc.assert(
      fc.property(
        fc.constantFrom(...rows).chain((row) => oneLetterOff(row.template)),
        (path) => {
          fc.pre(!known.has(`POST ${path}`));
          expect(['unknown', 'refused']).toContain(classify(post(path, { limit: 1 })));
        },
      ),
    );
  });
});

describe('facts', () => {
  function factsOf(path: string, body: unknown) {
    return planOf(BYBIT, post(path, body), KEY).facts;
  }

  test('a limit order', () => {
    expect(factsOf('/v5/order/create', ORDER)).toMatchObject({
      symbols: ['BTCUSDT'],
      sides: ['buy'],
      amounts: ['0.1'],
      undecidable: [],
    });
  });

  test.each([
    [{ orderType: 'Market' }, 'quote_amount 0.1'],
    [{ orderType: 'Market', marketUnit: 'baseCoin' }, 'amount 0.1'],
    [{ orderType: 'Market', side: 'Sell' }, 'amount 0.1'],
    [{ orderType: 'Market', side: 'Sell', marketUnit: 'quoteCoin' }, 'quote_amount 0.1'],
    [{ orderType: 'Market', marketUnit: 'QuoteCoin' }, 'undecidable'],
    [{ orderType: 'market' }, 'undecidable'],
    // contracts of one dollar
    [{ category: 'inverse' }, 'quote_amount 0.1'],
    [{ category: 'Linear' }, 'undecidable'],
    // closes whatever there is
    [{ category: 'linear', qty: '0' }, 'undecidable'],
  ])('%j: %s', (change, size) => {
    expect(sizeOf(factsOf('/v5/order/create', { ...ORDER, ...change }))).toBe(size);
  });

  test.each([
    { ...ORDER, orderType: 'Market', side: 'Sell' },
    { ...ORDER, orderType: 'Market', marketUnit: 'baseCoin' },
    { ...ORDER, category: 'linear', orderType: 'Market' },
  ])('%j counts the coin', (order) => {
    expect(factsOf('/v5/order/create', order)).toMatchObject({ amounts: ['0.1'], undecidable: [] });
  });

  const amended = { symbol: 'BTCUSDT', orderLinkId: 'a', qty: '2' };
  test.each([
    ['/v5/order/amend', { ...amended, category: 'spot' }],
    ['/v5/order/amend', { ...amended, category: 'spot', price: '1' }],
    ['/v5/order/amend-batch', { category: 'spot', request: [amended] }],
    // the signature is as good for an amendment
    ['/v5/order/create', { ...amended, category: 'spot' }],
    ['/v5/order/create-batch', { category: 'spot', request: [amended] }],
  ])('the size that %s of %j states may be one in either coin', (path, body) => {
    expect(sizeOf(factsOf(path, body))).toBe('amount 2, quote_amount 2');
  });

  test('an amendment of futures counts the coin', () => {
    const body = { ...amended, category: 'linear' };
    expect(sizeOf(factsOf('/v5/order/amend', body))).toBe('amount 2');
  });

  test('a batch gives every order; a fact beside and inside the list is refused', () => {
    const { category, ...order } = ORDER;
    const request = [order, { ...order, symbol: 'ETHUSDT', side: 'Sell', qty: '5' }];
    expect(factsOf('/v5/order/create-batch', { category, request })).toMatchObject({
      symbols: ['BTCUSDT', 'ETHUSDT'],
      sides: ['buy', 'sell'],
      amounts: ['0.1', '5'],
    });
    expect(classify(post('/v5/order/create-batch', { category, request: [ORDER] }))).toBe(
      'refused',
    );
    expect(classify(post('/v5/order/create-batch', { category, request: 'x' }))).toBe('refused');
  });

  test.each([
    { ...ORDER, qty: '1e5' },
    { ...ORDER, qty: ['1'] },
    { ...ORDER, side: 'Long' },
    { ...ORDER, symbol: 'btcusdt' },
  ])('%j is refused', (order) => {
    expect(classify(post('/v5/order/create', order))).toBe('refused');
  });
});

describe('what the vault decides', () => {
  test.each(['sign', 'api_key', 'recv_window'])('%s stated by the caller is refused', (name) => {
    const request = restRequest('GET /v5/account/info', { query: `${name}=1` });
    expect(refusalOf(BYBIT, request, KEY)).toContain('the vault sets');
  });

  test('Ed25519 keys, FIX, and any WebSocket operation but auth are refused', () => {
    expect(classOf(BYBIT, wsRequest('auth'), { ...KEY, type: 'ed25519' })).toBe('refused');
    expect(classify({ ...wsRequest('auth'), channel: 'fix' })).toBe('refused');
    expect(classify(wsRequest('order.create', ORDER))).toBe('refused');
    expect(classify(wsRequest('auth', { expires: 1 }))).not.toBe('session');
  });

  test('endpoint conditions cannot hold', () => {
    expect(BYBIT.unbindable('endpoints')).toContain('neither method nor path');
    expect(BYBIT.unbindable('amount')).toBeUndefined();
  });
});
