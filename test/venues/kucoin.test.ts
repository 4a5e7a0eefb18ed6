import { createHmac } from 'node:crypto';
import { describe, expect, test } from '@jest/globals';
import { KUCOIN } from '@countersign/venues/kucoin.js';
import { KUCOIN_ENDPOINTS } from '@countersign/venues/tables/kucoin-endpoints.js';
import type { VenueKey } from '@countersign/venues/engine/venue.js';
import { compareWithCcxt } from '../support/ccxt-comparison.ts';
import { loadCcxt } from '../support/ccxt-signing.ts';
import {
  classOf,
  planOf,
  refusalOf,
  restRequest,
  wsRequest,
  sizeOf,
} from '../support/venue-checks.ts';
import { ambiguousBodies, disguisesOf } from '../support/venue-smuggling.ts';
import { describeTable } from '../support/venue-table.ts';

await loadCcxt('kucoin');

const KEY: VenueKey = { type: 'hmac', apiKey: '64a1f0c9b8d7e6' };
const SECRET = Buffer.from('9f2b-secret-as-text');
const PASSPHRASE = 'correct horse';
/** What the signing thread makes of it. */
const SENT_PASSPHRASE = createHmac('sha256', SECRET).update(PASSPHRASE).digest('base64');
const AT = 1_700_000_000_999;

const WITHDRAWAL = restRequest('POST /api/v3/withdrawals', {
  body: '{"currency":"BTC","toAddress":"1Hkx","amount":"1","withdrawType":"ADDRESS"}',
});
const ORDER = restRequest('POST /api/v1/hf/orders', {
  body: '{"clientOid":"1","side":"buy","symbol":"BTC-USDT","type":"limit","price":"1","size":"2"}',
});

const orderList = '{"orderList":[{"symbol":"BTC-USDT","side":"buy","size":"1"}]}';
describeTable({
  venue: KUCOIN,
  endpoints: KUCOIN_ENDPOINTS,
  key: KEY,
  placeholders: { symbol: 'BTC-USDT' },
  bodies: Object.fromEntries([
    ...[
      'POST /api/v1/hf/orders/multi',
      'POST /api/v1/hf/orders/multi/sync',
      'POST /api/ua/v1/classic/order/place-batch',
      'POST /api/ua/v1/unified/order/place-batch',
    ].map((name) => [name, orderList] as const),
    ...['classic', 'unified'].map(
      (mode) =>
        [
          `POST /api/ua/v1/${mode}/order/cancel-batch`,
          '{"cancelOrderList":[{"orderId":"1"}]}',
        ] as const,
    ),
  ]),
});

describe('signing', () => {
  const calls = [
    ['read', 'GET', 'private', 'hf/fills', { symbol: 'BTC-USDT', limit: 10 }],
    [
      'trade',
      'POST',
      'private',
      'hf/orders',
      { clientOid: '1', side: 'sell', symbol: 'BTC-USDT', type: 'market', size: '1' },
    ],
    ['cancel', 'DELETE', 'private', 'hf/orders/{orderId}', { orderId: 'a1', symbol: 'BTC-USDT' }],
    [
      'trade',
      'POST',
      'futuresPrivate',
      'orders',
      { clientOid: '1', side: 'buy', symbol: 'XBTUSDTM', leverage: '5', size: '3' },
    ],
    ['cancel', 'DELETE', 'futuresPrivate', 'orders/multi-cancel', { orderIdsList: ['a1', 'a2'] }],
    [
      'trade',
      'POST',
      'utaPrivate',
      '{accountMode}/order/place',
      {
        accountMode: 'classic',
        tradeType: 'SPOT',
        symbol: 'BTC-USDT',
        side: 'BUY',
        orderType: 'LIMIT',
        size: '1',
        sizeUnit: 'BASECCY',
        price: '1',
      },
    ],
    [
      'transfer',
      'POST',
      'private',
      'accounts/inner-transfer',
      { clientOid: '1', currency: 'BTC', from: 'main', to: 'trade', amount: '1' },
    ],
    [
      'withdraw',
      'POST',
      'private',
      'withdrawals',
      { currency: 'BTC', toAddress: '1Hkx', withdrawType: 'ADDRESS', amount: 0.5 },
    ],
    ['session', 'POST', 'private', 'bullet-private', {}],
  ] as const;

  test.each(calls)('%s by %s (%s) at %s: the bytes of ccxt', (...call) => {
    const [operationClass, method, api, path, params] = call;
    const { ours, ccxt, ...rest } = compareWithCcxt(
      KUCOIN,
      { key: KEY, secret: SECRET, passphrase: SENT_PASSPHRASE },
      {
        exchange: 'kucoin',
        api,
        method,
        path,
        params,
        apiKey: KEY.apiKey,
        secret: SECRET.toString(),
        password: PASSPHRASE,
        at: AT,
      },
      // signed with the secret of ccxt's own partner account
      ['KC-API-PARTNER', 'KC-API-PARTNER-SIGN', 'KC-API-PARTNER-VERIFY'],
    );
    expect(ours).toEqual(ccxt);
    expect(rest.operationClass).toBe(operationClass);
  });

  test('the passphrase travels as its HMAC', () => {
    expect(KUCOIN.passphrase).toBe('hmac_sha256');
  });

  test('there is no login to sign, but a token that opens the key', () => {
    expect(classOf(KUCOIN, wsRequest('login'), KEY)).toBe('refused');
    const token = restRequest('POST /api/v1/bullet-private');
    expect(planOf(KUCOIN, token, KEY).facts).toMatchObject({
      operationClass: 'session',
      binds: ['session'],
    });
  });
});

describe('a withdrawal is never taken for something harmless', () => {
  test.each(disguisesOf(WITHDRAWAL, ORDER))('%s', (_, request) => {
    // the list of withdrawals is read by GET, and the method is bound
    const isList = request.method === 'GET';
    const classes = isList ? ['trade'] : ['read', 'trade'];
    expect(classes).not.toContain(classOf(KUCOIN, request, KEY));
  });

  test.each(ambiguousBodies(ORDER.body))('an order with %s is refused', (_, body) => {
    expect(classOf(KUCOIN, { ...ORDER, body }, KEY)).toBe('refused');
  });

  test('a query that can be read in two ways is refused', () => {
    const request = restRequest('GET /api/v1/hf/fills', { query: 'symbol=BTC-USDT&x=a%26b' });
    expect(refusalOf(KUCOIN, request, KEY)).toContain('percent-encoded');
  });

  test('an encoded comma is one to both readings: a read may have it, and nothing else', () => {
    const at = (line: string) => classOf(KUCOIN, restRequest(line, { query: 'status=a%2Cb' }), KEY);
    expect(at('GET /api/v1/orders')).toBe('read');
    expect(at('DELETE /api/v1/orders/a1')).toBe('refused');
    expect(at('GET /api/v1/nothing')).toBe('refused');
    const symbols = restRequest('GET /api/v1/hf/fills', { query: 'symbol=BTC-USDT%2CETH-USDT' });
    expect(classOf(KUCOIN, symbols, KEY)).toBe('refused');
  });

  test('a cancellation carries a query, not a body', () => {
    const cancel = 'DELETE /api/v1/hf/orders/a1';
    expect(classOf(KUCOIN, restRequest(cancel, { query: 'symbol=BTC-USDT' }), KEY)).toBe('cancel');
    const body = '{"symbol":"BTC-USDT"}';
    expect(classOf(KUCOIN, restRequest(cancel, { body }), KEY)).toBe('unknown');
  });
});

describe('facts', () => {
  function factsOf(path: string, body: unknown) {
    return planOf(KUCOIN, restRequest(path, { body: JSON.stringify(body) }), KEY).facts;
  }
  const order = { clientOid: '1', side: 'buy', symbol: 'BTC-USDT', type: 'limit', size: '2' };

  test('a spot order', () => {
    expect(planOf(KUCOIN, ORDER, KEY).facts).toEqual({
      venueId: 'kucoin',
      operationClass: 'trade',
      endpoint: 'POST /api/v1/hf/orders',
      symbols: ['BTC-USDT'],
      sides: ['buy'],
      amounts: ['2'],
      quoteAmounts: [],
      contracts: [],
      undecidable: [],
      binds: ['method', 'path', 'query', 'body', 'time'],
    });
  });

  test.each([
    [{ ...order, funds: '100' }, 'amount 2, quote_amount 100'],
    [{ ...order, symbol: 'XBTUSDTM' }, 'contracts 2'],
    [{ ...order, symbol: 'XBTUSDTM', qty: '100' }, 'undecidable'],
    [{ ...order, symbol: 'XBTUSDTM', size: undefined, valueQty: '100' }, 'quote_amount 100'],
  ])('what %j comes to: %s', (body, size) => {
    const facts = factsOf('POST /api/v1/orders', body);
    expect(facts.operationClass).toBe('trade');
    expect(sizeOf(facts)).toBe(size);
  });

  test('a futures order in units of the asset is', () => {
    const body = { clientOid: '1', side: 'sell', symbol: 'XBTUSDTM', qty: '0.5' };
    expect(factsOf('POST /api/v1/orders', body)).toMatchObject({
      amounts: ['0.5'],
      undecidable: [],
    });
  });

  test('one that closes a position has neither side nor amount', () => {
    const facts = factsOf('POST /api/v1/orders', { symbol: 'XBTUSDTM', closeOrder: true });
    expect(facts.undecidable).toEqual(['sides', 'amount']);
  });

  const futures = { ...order, symbol: 'XBTUSDTM' };
  const unified = {
    tradeType: 'FUTURES',
    symbol: 'XBTUSDTM',
    side: 'BUY',
    orderType: 'LIMIT',
    size: '1',
    sizeUnit: 'BASECCY',
  };
  const placed = 'POST /api/ua/v1/unified/order/place';
  test.each([
    ['POST /api/v1/st-orders', { ...futures, triggerStopUpPrice: '9' }],
    ['POST /api/v1/st-orders', { ...futures, triggerStopDownPrice: '9' }],
    [placed, { ...unified, tpTriggerPrice: '9' }],
    [placed, { ...unified, slTriggerPrice: '9' }],
    [
      `${placed}-batch`,
      {
        tradeType: 'FUTURES',
        orderList: [{ ...unified, tradeType: undefined, slTriggerPrice: '9' }],
      },
    ],
  ])('the stop that %s of %j attaches sells as much as nobody can tell', (path, body) => {
    const facts = factsOf(path, body);
    expect(facts).toMatchObject({ operationClass: 'trade', undecidable: ['sides', 'amount'] });
  });

  test.each([
    [
      'POST /api/v1/st-orders',
      { ...futures, triggerStopUpPrice: '', stopPriceType: '' },
      'contracts 2',
    ],
    ['POST /api/v1/orders', { ...futures, stop: 'down', stopPrice: '9' }, 'contracts 2'],
    ['POST /api/v1/stop-order', { ...order, stop: 'loss', stopPrice: '9' }, 'amount 2'],
    ['POST /api/v3/oco/order', { ...order, stopPrice: '9', limitPrice: '8' }, 'amount 2'],
    [placed, { ...unified, triggerDirection: 'UP', triggerPrice: '9' }, 'amount 1'],
  ])('an order with a trigger of its own at %s has its side and size: %j', (path, body, size) => {
    const facts = factsOf(path, body);
    expect(facts).toMatchObject({ operationClass: 'trade', sides: ['buy'] });
    expect(sizeOf(facts)).toBe(size);
  });

  test('orders of a batch are read one by one', () => {
    const orders = [order, { ...order, symbol: 'ETH-USDT', side: 'sell', size: '9' }];
    for (const facts of [
      factsOf('POST /api/v1/hf/orders/multi', { orderList: orders }),
      factsOf('POST /api/v1/orders/multi', orders),
    ]) {
      expect(facts).toMatchObject({
        operationClass: 'trade',
        symbols: ['BTC-USDT', 'ETH-USDT'],
        sides: ['buy', 'sell'],
        amounts: ['2', '9'],
      });
    }
  });

  test('and have no unlisted parameter', () => {
    const body = JSON.stringify({ orderList: [order, { ...order, quote: '9' }] });
    const request = restRequest('POST /api/v1/hf/orders/multi', { body });
    expect(refusalOf(KUCOIN, request, KEY)).toContain('quote');
    const list = restRequest('POST /api/v1/orders/multi', { body: '[{"quote":"9"}]' });
    expect(classOf(KUCOIN, list, KEY)).toBe('unknown');
  });

  test.each([
    ['BASECCY', 'BTC-USDT', 'amount 1'],
    ['QUOTECCY', 'BTC-USDT', 'quote_amount 1'],
    ['UNIT', 'XBTUSDTM', 'contracts 1'],
    ['LOTS', 'XBTUSDTM', 'undecidable'],
    [undefined, 'XBTUSDTM', 'contracts 1'],
    [undefined, 'BTC-USDT', 'undecidable', 'MARKET'],
    [undefined, 'BTC-USDT', 'amount 1', 'LIMIT'],
  ])('unified account: sizes in %s of %s: %s', (sizeUnit, symbol, size, orderType = 'LIMIT') => {
    const body = { tradeType: 'SPOT', symbol, side: 'BUY', orderType, size: '1', sizeUnit };
    const facts = factsOf('POST /api/ua/v1/unified/order/place', body);
    expect(facts).toMatchObject({ operationClass: 'trade', sides: ['buy'] });
    expect(sizeOf(facts)).toBe(size);
  });
});
