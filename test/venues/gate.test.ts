import { describe, expect, test } from '@jest/globals';
import { GATE } from '@countersign/venues/gate.js';
import { GATE_ENDPOINTS } from '@countersign/venues/tables/gate-endpoints.js';
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

await loadCcxt('gate');

const KEY: VenueKey = { type: 'hmac', apiKey: 'key' };
const SECRET = Buffer.from('secret');
const AT = 1_541_993_715_000;
const MOMENT = { at: AT, nonce: 0n, requestId: '4885f793-e5ad-4c3b-8f6c-55d891472b71' };

const WITHDRAWAL = restRequest('POST /api/v4/withdrawals', {
  body: '{"currency":"BTC","address":"1HkxtBAMrA3tP5ENnYY2CZortjZvFDH5Cs","amount":"1"}',
});
const ORDER = restRequest('POST /api/v4/spot/orders', {
  body: '{"currency_pair":"BTC_USDT","side":"buy","amount":"0.1","price":"50000","type":"limit"}',
});

const order = { initial: { contract: 'BTC_USDT', size: 1 }, trigger: {} };
describeTable({
  venue: GATE,
  endpoints: GATE_ENDPOINTS,
  key: KEY,
  placeholders: { contract: 'BTC_USDT' },
  bodies: {
    ...Object.fromEntries(
      ['futures/btc', 'futures/usdt', 'futures/usd', 'delivery/btc', 'delivery/usdt'].flatMap(
        (market) => [
          [`POST /api/v4/${market}/price_orders`, JSON.stringify(order)],
          [`POST /api/v4/${market}/batch_cancel_orders`, '["1"]'],
        ],
      ),
    ),
    ...Object.fromEntries(
      ['BTC', 'USDT', 'USD'].map((name) => [
        `POST /api/v4/futures/${name}/batch_cancel_orders`,
        '["1"]',
      ]),
    ),
    'POST /api/v4/spot/price_orders': '{"put":{},"trigger":{}}',
    subscribe: '{"channel":"spot.orders"}',
    unsubscribe: '{"channel":"spot.orders"}',
  },
});

describe('signing', () => {
  // the two examples of the API v4 documents; their path lacks the settle currency, so it is unknown
  test.each([
    [
      'GET',
      { query: 'contract=BTC_USD&status=finished&limit=50' },
      '55f84ea195d6fe57ce62464daaa7c3c02fa9d1dde954e4c898289c9a2407a3d6fb3faf24deff16790d726b66ac9f74526668b13bd01029199cc4fcc522418b8a',
    ],
    [
      'POST',
      {
        body: '{"contract":"BTC_USD","type":"limit","size":100,"price":6800,"time_in_force":"gtc"}',
      },
      'eae42da914a590ddf727473aff25fc87d50b64783941061f47a3fdb92742541fc4c2c14017581b4199a1418d54471c269c03a38d788d802e2c306c37636389f0',
    ],
  ])('the %s of the documents', (method, parts, signature) => {
    const request = restRequest(`${method} /api/v4/futures/orders`, parts);
    const plan = planOf(GATE, request, KEY);
    expect(plan.facts.operationClass).toBe('unknown');
    expect(signPlan(plan, SECRET, MOMENT)).toEqual({
      method,
      path: '/api/v4/futures/orders',
      query: '',
      body: '',
      ...parts,
      headers: {
        KEY: 'key',
        Timestamp: '1541993715',
        SIGN: signature,
        'Content-Type': 'application/json',
      },
    });
  });

  const calls = [
    ['read', 'GET', 'spot', 'my_trades', { currency_pair: 'BTC_USDT', limit: 10 }],
    [
      'trade',
      'POST',
      'spot',
      'orders',
      { currency_pair: 'BTC_USDT', side: 'sell', type: 'limit', amount: '1', price: '2' },
    ],
    [
      'trade',
      'POST',
      'futures',
      '{settle}/positions/{contract}/leverage',
      { settle: 'usdt', contract: 'BTC_USDT', leverage: '5' },
    ],
    [
      'cancel',
      'DELETE',
      'spot',
      'orders/{order_id}',
      { order_id: '12', currency_pair: 'BTC_USDT' },
    ],
    [
      'trade',
      'PATCH',
      'spot',
      'orders/{order_id}',
      { order_id: '12', currency_pair: 'BTC_USDT', amount: '2' },
    ],
    [
      'transfer',
      'POST',
      'wallet',
      'transfers',
      { currency: 'USDT', from: 'spot', to: 'futures', amount: '1', settle: 'usdt' },
    ],
    [
      'withdraw',
      'POST',
      'withdrawals',
      'withdrawals',
      { currency: 'BTC', address: '1Hkx', amount: '1', chain: 'BTC' },
    ],
  ] as const;

  test.each(calls)('%s by %s at %s %s: the bytes of ccxt', (...call) => {
    const [operationClass, method, group, path, params] = call;
    const { ours, ccxt, ...rest } = compareWithCcxt(
      GATE,
      { key: KEY, secret: SECRET },
      {
        exchange: 'gate',
        api: ['private', group],
        method,
        path,
        params,
        apiKey: 'key',
        secret: 'secret',
        at: AT,
      },
    );
    expect(ours).toEqual(ccxt);
    expect(rest.operationClass).toBe(operationClass);
  });

  test('the query is signed decoded and sent encoded', () => {
    const request = restRequest('GET /api/v4/wallet/deposits', { query: 'currency=A%2FB' });
    const composed = planOf(GATE, request, KEY).compose(MOMENT);
    expect(Buffer.from(composed.message).toString()).toContain('\ncurrency=A/B\n');
    expect(composed.finish(Buffer.alloc(64), '').query).toBe('currency=A%2FB');
  });
});

describe('WebSocket', () => {
  test('a login opens the key, and signs what ccxt signs', () => {
    const plan = planOf(GATE, wsRequest('spot.login'), KEY);
    expect(plan.facts).toMatchObject({ operationClass: 'session', binds: ['session'] });
    const composed = plan.compose(MOMENT);
    expect(Buffer.from(composed.message).toString()).toBe('api\nspot.login\n{}\n1541993715');
    expect(JSON.parse(composed.finish(Buffer.from([1, 2]), '').body)).toEqual({
      id: MOMENT.requestId,
      time: 1541993715,
      channel: 'spot.login',
      event: 'api',
      payload: {
        req_id: MOMENT.requestId,
        timestamp: '1541993715',
        api_key: 'key',
        signature: '0102',
        req_param: {},
      },
    });
  });

  test('a private channel is a session too', () => {
    const stated = { channel: 'spot.orders', payload: ['!all'] };
    const plan = planOf(GATE, wsRequest('subscribe', stated), KEY);
    expect(plan.facts.operationClass).toBe('session');
    const composed = plan.compose(MOMENT);
    expect(Buffer.from(composed.message).toString()).toBe(
      'channel=spot.orders&event=subscribe&time=1541993715',
    );
    expect(JSON.parse(composed.finish(Buffer.from([1]), '').body)).toEqual({
      ...stated,
      time: 1541993715,
      event: 'subscribe',
      auth: { method: 'api_key', KEY: 'key', SIGN: '01' },
    });
  });

  test('there is nothing else to sign', () => {
    for (const request of [
      wsRequest('api', { channel: 'spot.order_place' }),
      wsRequest('subscribe'),
      wsRequest('spot.login', { channel: 'x' }),
      wsRequest('subscribe', { channel: 'spot.orders', auth: {} }),
    ]) {
      expect(classOf(GATE, request, KEY)).toBe('refused');
    }
  });
});

describe('a withdrawal is never taken for something harmless', () => {
  test.each(disguisesOf(WITHDRAWAL, ORDER))('%s', (_, request) => {
    expect(['read', 'trade']).not.toContain(classOf(GATE, request, KEY));
  });

  test.each(ambiguousBodies(ORDER.body))('an order with %s is refused', (_, body) => {
    expect(classOf(GATE, { ...ORDER, body }, KEY)).toBe('refused');
  });

  test.each(['a%26b', 'a%3Db', 'a%2525b', 'a%2Bb', 'a%23b', 'a%3Fb'])(
    'the query value %s would be signed like another query',
    (value) => {
      const request = restRequest('GET /api/v4/spot/my_trades', {
        query: `currency_pair=BTC_USDT&text=${value}`,
      });
      expect(refusalOf(GATE, request, KEY)).toContain('ambiguous');
    },
  );

  test('query and body may repeat each other but not differ', () => {
    const at = 'PATCH /api/v4/spot/orders/12';
    const query = 'currency_pair=BTC_USDT&amount=1';
    const same = restRequest(at, { query, body: '{"currency_pair":"BTC_USDT","amount":"1"}' });
    expect(planOf(GATE, same, KEY).facts.amounts).toEqual(['1']);
    for (const body of ['{"amount":"9"}', '{"amount":1}', '{"Amount":"1"}']) {
      expect(classOf(GATE, restRequest(at, { query, body }), KEY)).toBe('refused');
    }
  });
});

describe('facts', () => {
  function factsOf(path: string, body: unknown) {
    return planOf(GATE, restRequest(path, { body: JSON.stringify(body) }), KEY).facts;
  }
  const spot = { currency_pair: 'BTC_USDT', side: 'buy', amount: '0.1' };

  test('a spot order', () => {
    expect(planOf(GATE, ORDER, KEY).facts).toEqual({
      venueId: 'gate',
      operationClass: 'trade',
      endpoint: 'POST /api/v4/spot/orders',
      symbols: ['BTC_USDT'],
      sides: ['buy'],
      amounts: ['0.1'],
      quoteAmounts: [],
      contracts: [],
      undecidable: [],
      binds: ['method', 'path', 'query', 'body', 'time'],
    });
  });

  test.each([
    ['market', 'quote_amount 0.1'],
    ['MARKET', 'undecidable'],
    ['unheard_of', 'undecidable'],
    [1, 'undecidable'],
  ])('the amount that a buy of type %s states: %s', (type, size) => {
    expect(sizeOf(factsOf('POST /api/v4/spot/orders', { ...spot, type }))).toBe(size);
  });

  test('orders of a batch are read one by one', () => {
    const batch = [spot, { ...spot, currency_pair: 'ETH_USDT', side: 'sell', amount: '9' }];
    expect(factsOf('POST /api/v4/spot/batch_orders', batch)).toMatchObject({
      symbols: ['BTC_USDT', 'ETH_USDT'],
      sides: ['buy', 'sell'],
      amounts: ['0.1', '9'],
    });
  });

  test('futures: the sign of the size is the side, its value a number of contracts', () => {
    const batch = [
      { contract: 'BTC_USDT', size: 5, price: '1' },
      { contract: 'BTC_USDT', size: '-3', price: '1' },
    ];
    expect(factsOf('POST /api/v4/futures/usdt/batch_orders', batch)).toMatchObject({
      operationClass: 'trade',
      symbols: ['BTC_USDT'],
      sides: ['buy', 'sell'],
      contracts: ['5', '3'],
      undecidable: [],
    });
    expect(
      factsOf('POST /api/v4/futures/usdt/price_orders', {
        initial: { contract: 'BTC_USDT', size: -1, price: '0' },
        trigger: { price: '1', rule: 1 },
      }),
    ).toMatchObject({ symbols: ['BTC_USDT'], sides: ['sell'], contracts: ['1'], undecidable: [] });
  });

  test.each([{ size: 0, close: true }, { size: 0, auto_size: 'close_long' }, { size: 0 }])(
    'which way %j closes a position is open',
    (closing) => {
      const facts = factsOf('POST /api/v4/futures/usdt/orders', {
        contract: 'BTC_USDT',
        price: '0',
        ...closing,
      });
      expect(facts).toMatchObject({ sides: [], undecidable: ['sides', 'amount'] });
    },
  );

  test.each([
    { initial: { contract: 'BTC_USDT', size: 1, price: '0', is_close: true } },
    { initial: { contract: 'BTC_USDT', size: 1, price: '0' }, order_type: 'close-long-position' },
  ])('so is it of a trigger that does: %j', (order) => {
    const facts = factsOf('POST /api/v4/futures/usdt/price_orders', { ...order, trigger: {} });
    expect(facts.undecidable).toEqual(['sides', 'amount']);
  });

  test.each(['1.5', '1e3', '', null, true, [1]])('a size of %j is refused', (size) => {
    const body = JSON.stringify({ contract: 'BTC_USDT', size, price: '1' });
    const request = restRequest('POST /api/v4/futures/usdt/orders', { body });
    expect(classOf(GATE, request, KEY)).toBe('refused');
  });

  test.each([
    [{ side: 'buy' }, 'amount 2'],
    [{ side: 'sell', type: 'market' }, 'amount 2'],
    // the venue's documents say either of it
    [{ side: 'buy', type: 'market' }, 'amount 2, quote_amount 2'],
    [{ side: 'buy', type: 'other' }, 'undecidable'],
  ])('what a trigger of %j comes to: %s', (order, size) => {
    const put = { amount: '2', price: '1', ...order };
    const facts = factsOf('POST /api/v4/spot/price_orders', {
      put,
      trigger: {},
      market: 'BTC_USDT',
    });
    expect(sizeOf(facts)).toBe(size);
  });

  test('an order inside a trigger has no unlisted parameter', () => {
    const put = { side: 'buy', amount: '1', price: '1', total: '99' };
    const body = JSON.stringify({ put, trigger: {}, market: 'BTC_USDT' });
    const request = restRequest('POST /api/v4/spot/price_orders', { body });
    expect(refusalOf(GATE, request, KEY)).toContain('total');
  });

  test('the contract in a path is a symbol', () => {
    const path = '/api/v4/futures/usdt/positions/BTC_USDT/leverage';
    const request = restRequest(`POST ${path}`, { query: 'leverage=5' });
    expect(planOf(GATE, request, KEY).facts.symbols).toEqual(['BTC_USDT']);
    const both = { ...request, query: 'leverage=5&contract=ETH_USDT' };
    expect(classOf(GATE, both, KEY)).toBe('unknown');
  });
});
