import { describe, expect, test } from '@jest/globals';
import { BINANCE } from '@countersign/venues/binance.js';
import { endpointName } from '@countersign/venues/engine/endpoint-table.js';
import { BINANCE_FUNDS } from '@countersign/venues/tables/binance-funds.js';
import { BINANCE_FUTURES } from '@countersign/venues/tables/binance-futures.js';
import { BINANCE_PORTFOLIO_MARGIN } from '@countersign/venues/tables/binance-portfolio-margin.js';
import { BINANCE_SESSIONS } from '@countersign/venues/tables/binance-sessions.js';
import { BINANCE_SPOT } from '@countersign/venues/tables/binance-spot.js';
import { BINANCE_WALLET } from '@countersign/venues/tables/binance-wallet.js';
import type { VenueKey } from '@countersign/venues/engine/venue.js';
import fc from 'fast-check';
import {
  classOf,
  completeNames,
  graveRowsReached,
  oneLetterOff,
  planOf,
  refusalOf,
  restRequest,
  wsRequest,
  sizeOf,
} from '../support/venue-checks.ts';

const HMAC_KEY: VenueKey = { type: 'hmac', apiKey: 'key' };

const ENDPOINTS = [
  ...BINANCE_SPOT,
  ...BINANCE_WALLET,
  ...BINANCE_FUNDS,
  ...BINANCE_FUTURES,
  ...BINANCE_PORTFOLIO_MARGIN,
  ...BINANCE_SESSIONS,
];

/** Every name with a value that all kinds of fields take: a symbol, an amount, a name; sides apart. */
function queryOf(names: readonly string[]): string {
  return names.map((name) => `${name}=${/side$/i.test(name) ? 'BUY' : '1'}`).join('&');
}

function classify(line: string, parts: { query?: string; body?: string } = {}) {
  return classOf(BINANCE, restRequest(line, parts), HMAC_KEY);
}

describe('classes', () => {
  test.each([
    ['POST /sapi/v1/capital/withdraw/apply', 'coin=USDT&address=T1&amount=1', 'withdraw'],
    [
      'POST /sapi/v1/managed-subaccount/withdraw',
      'fromEmail=a%40b.c&asset=BTC&amount=1',
      'withdraw',
    ],
    ['POST /sapi/v1/giftcard/createCode', 'token=BTC&amount=1', 'withdraw'],
    ['POST /sapi/v1/asset/transfer', 'type=MAIN_UMFUTURE&asset=USDT&amount=1', 'transfer'],
    [
      'POST /sapi/v1/sub-account/universalTransfer',
      'fromAccountType=SPOT&toAccountType=SPOT&asset=BTC&amount=1',
      'transfer',
    ],
    [
      'POST /sapi/v1/sub-account/transfer/subToSub',
      'toEmail=a%40b.c&asset=BTC&amount=1',
      'transfer',
    ],
    ['POST /sapi/v1/sub-account/transfer/subToMaster', 'asset=BTC&amount=1', 'transfer'],
    ['POST /sapi/v1/margin/transfer', 'asset=BTC&amount=1&type=1', 'transfer'],
    ['POST /sapi/v1/futures/transfer', 'asset=BTC&amount=1&type=1', 'transfer'],
    ['POST /sapi/v1/account/enableFastWithdrawSwitch', '', 'key_admin'],
    ['POST /sapi/v1/account/disableFastWithdrawSwitch', '', 'key_admin'],
    ['POST /api/v3/order', 'symbol=BTCUSDT&side=BUY&type=MARKET&quantity=1', 'trade'],
    [
      'POST /api/v3/order/cancelReplace',
      'symbol=BTCUSDT&side=BUY&type=MARKET&cancelReplaceMode=STOP_ON_FAILURE&quantity=1',
      'trade',
    ],
    ['POST /fapi/v1/leverage', 'symbol=BTCUSDT&leverage=5', 'trade'],
    ['POST /fapi/v1/marginType', 'symbol=BTCUSDT&marginType=ISOLATED', 'trade'],
    // the same string stakes 5 ETH
    ['POST /fapi/v1/positionMargin', 'symbol=BTCUSDT&amount=5&type=1', 'transfer'],
    // the same string liquidates the margin account
    ['POST /api/v3/order', 'symbol=BTCUSDT&side=BUY&type=MARGIN&quantity=1', 'transfer'],
    ['GET /api/v3/account', '', 'read'],
    ['GET /sapi/v1/capital/withdraw/history', 'coin=USDT&limit=10&startTime=1', 'read'],
    ['GET /sapi/v1/capital/deposit/address', 'coin=USDT&network=TRX', 'read'],
    ['GET /sapi/v1/account/apiRestrictions', '', 'read'],
  ])('%s is %s: %s', (line, parameters, operationClass) => {
    const plan = planOf(BINANCE, restRequest(line, { query: parameters }), HMAC_KEY);
    expect(plan.facts).toMatchObject({ operationClass, endpoint: line, venueId: 'binance' });
  });

  test.each([
    ['GET /api/v3/order', 'symbol=BTCUSDT&orderId=1', 'cancel'],
    ['GET /api/v3/openOrders', 'symbol=BTCUSDT', 'cancel'],
    ['GET /fapi/v1/algoOrder', 'clientAlgoId=x', 'cancel'],
    ['GET /sapi/v1/sub-account/list', 'email=a%40b.c', 'key_admin'],
    ['GET /sapi/v1/simple-earn/flexible/position', 'productId=P1', 'transfer'],
  ])('%s %s counts as %s, since the same signature does that', (line, query, operationClass) => {
    expect(classify(line, { query })).toBe(operationClass);
  });

  // a liquidation needs a `type` of its own two values, which no name tells
  const GRAVE_BY_NAMES = ENDPOINTS.filter(
    ({ template }) => template !== '/sapi/v1/margin/manual-liquidation',
  );

  test('nothing that counts as read or trade satisfies an endpoint that moves funds', () => {
    const rest = ENDPOINTS.filter(
      ({ channel, entries }) => channel === 'rest' && entries === undefined,
    );
    fc.assert(
      fc.property(
        fc
          .constantFrom(...rest)
          .chain((row) => completeNames(row).map((names) => ({ row, names }))),
        ({ row, names }) => {
          const seen = classify(endpointName(row), { query: queryOf(names) });
          if (seen === 'read' || seen === 'trade') {
            expect(graveRowsReached(GRAVE_BY_NAMES, names)).toEqual([]);
          }
        },
      ),
      { numRuns: 3000 },
    );
  });

  test('every row of the tables comes out at least as severe as it is listed', () => {
    const severity = ['read', 'cancel', 'trade', 'transfer', 'withdraw', 'key_admin'];
    const tooMild: string[] = [];
    for (const endpoint of ENDPOINTS) {
      if (endpoint.channel !== 'rest' || endpoint.entries !== undefined) continue;
      const { required = [], anyOf = [] } = endpoint.names ?? {};
      // two spellings of one name cannot stand in one request
      const spellings = [...required, ...anyOf.flat()].map(
        (name) => [name.toLowerCase(), name] as const,
      );
      const query = queryOf([...new Map(spellings).values()]);
      const seen = classify(endpointName(endpoint), { query });
      if (severity.indexOf(seen) < severity.indexOf(endpoint.operationClass)) {
        tooMild.push(`${endpointName(endpoint)} is ${seen}`);
      }
    }
    expect(tooMild).toEqual([]);
  });
});

describe('a withdrawal dressed as something else', () => {
  const withdrawal = 'coin=USDT&address=T1&amount=1';
  const order = 'symbol=BTCUSDT&side=BUY&type=MARKET&quantity=1';

  test.each<[string, string, { query?: string; body?: string }]>([
    ['under the path of an order', 'POST /api/v3/order', { query: withdrawal }],
    ['under the path of an order, in the body', 'POST /api/v3/order', { body: withdrawal }],
    ['under the path of a read', 'GET /api/v3/account', { query: withdrawal }],
    ['appended to an order', 'POST /api/v3/order', { query: `${order}&${withdrawal}` }],
    ['split between query and body', 'POST /api/v3/order', { query: order, body: withdrawal }],
    [
      'joined across the boundary',
      'POST /api/v3/order',
      {
        query: 'symbol=BTCUSDT&side=BUY&type=MARKET&quantity=1&coin=USDT&address=T1&am',
        body: 'ount=1',
      },
    ],
    [
      'as a read with the amount',
      'GET /sapi/v1/capital/deposit/address',
      { query: `${withdrawal}` },
    ],
    [
      'with a coin in another case',
      'POST /api/v3/order',
      { query: 'Coin=USDT&address=T1&amount=1' },
    ],
    [
      'with an encoded name',
      'POST /api/v3/order',
      { query: `${order}&%63oin=USDT&address=T1&amount=1` },
    ],
    ['with a lower-case escape', 'POST /api/v3/order', { query: `${order}%26coin=USDT%26%3d` }],
    ['with a look-alike name', 'POST /api/v3/order', { query: `${order}&с%6Fin=USDT` }],
    ['with a parameter twice', 'POST /api/v3/order', { query: `${order}&quantity=9` }],
    [
      'with a parameter twice in another case',
      'POST /api/v3/order',
      { query: `${order}&Quantity=9` },
    ],
    [
      'with plus for blank',
      'POST /api/v3/order',
      { query: 'symbol=BTC+USDT&side=BUY&type=MARKET&quantity=1' },
    ],
    ['with a line break', 'POST /api/v3/order', { query: `${order}&newClientOrderId=a%0Ab` }],
    ['with semicolons', 'POST /api/v3/order', { query: `${order};coin=USDT;address=T1;amount=1` }],
    ['with an empty part', 'POST /api/v3/order', { query: `${order}&&${withdrawal}` }],
    [
      'with an extra path segment',
      'POST /sapi/v1/capital/withdraw/apply/order',
      { query: withdrawal },
    ],
    [
      'by a path of dots',
      'POST /api/v3/order/../../../sapi/v1/capital/withdraw/apply',
      { query: withdrawal },
    ],
    ['by a double slash', 'POST /sapi/v1//capital/withdraw/apply', { query: withdrawal }],
    ['by an encoded slash', 'POST /sapi/v1/capital%2Fwithdraw/apply', { query: withdrawal }],
    ['by another method', 'PUT /sapi/v1/capital/withdraw/apply', { query: withdrawal }],
    ['by a method in lower case', 'post /api/v3/order', { query: withdrawal }],
    ['by a path in upper case', 'POST /SAPI/v1/capital/withdraw/apply', { query: withdrawal }],
    ['by a query inside the path', 'POST /api/v3/order?coin=USDT', { query: order }],
    ['by a fragment', 'POST /api/v3/order#x', { query: order }],
    ['as a gift card', 'POST /api/v3/order', { query: 'token=BTC&amount=1' }],
  ])('%s is neither read nor trade', (_, line, parts) => {
    expect(['withdraw', 'transfer', 'unknown', 'refused']).toContain(classify(line, parts));
  });

  test('even an honest order split between query and body is refused: the boundary is not signed', () => {
    const request = restRequest('POST /api/v3/order', {
      query: 'symbol=BTCUSDT&side=BUY&type=MARKET',
      body: 'quantity=1',
    });
    expect(refusalOf(BINANCE, request, HMAC_KEY)).toContain('only one of the two');
  });

  test('under an endpoint off the table it is refused, even to a rule that allows unknown', () => {
    expect(
      refusalOf(BINANCE, restRequest('POST /api/v3/newThing', { query: withdrawal }), HMAC_KEY),
    ).toContain('POST /sapi/v1/capital/withdraw/apply');
  });

  test('inside a value of a WebSocket request it is refused: the signed string would split', () => {
    const params = { symbol: 'BTCUSDT', side: 'BUY', type: 'MARKET', quantity: '1' };
    for (const smuggled of ['x&coin=USDT&address=T1&amount=1', 'x=1', 'x%26', 'x#', 'x y', 'x+']) {
      const request = wsRequest('order.place', { ...params, newClientOrderId: smuggled });
      expect(refusalOf(BINANCE, request, HMAC_KEY)).toContain('newClientOrderId');
    }
    const nested = wsRequest('order.place', { ...params, newClientOrderId: { a: 1 } });
    expect(refusalOf(BINANCE, nested, HMAC_KEY)).toContain('newClientOrderId');
  });

  test('as parameters of a WebSocket operation it is not a trade', () => {
    const request = wsRequest('order.place', { coin: 'USDT', address: 'T1', amount: '1' });
    expect(classOf(BINANCE, request, HMAC_KEY)).toBe('refused');
  });

  test('one letter changed in any path leaves the table', () => {
    const paths = ENDPOINTS.filter(
      ({ operationClass }) => operationClass === 'withdraw' || operationClass === 'transfer',
    );
    const known = new Set(ENDPOINTS.map(endpointName));
    fc.assert(
      fc.property(
        fc
          .constantFrom(...paths)
          .chain((row) => oneLetterOff(row.template).map((path) => ({ row, path }))),
        ({ row, path }) => {
          const line = `${row.method} ${path}`;
          fc.pre(!known.has(line));
          expect(['unknown', 'refused']).toContain(classify(line, { query: 'limit=1' }));
        },
      ),
    );
  });
});

describe('facts', () => {
  function factsOf(line: string, query: string) {
    return planOf(BINANCE, restRequest(line, { query }), HMAC_KEY).facts;
  }

  test('an amount in the quote currency', () => {
    const facts = factsOf(
      'POST /api/v3/order',
      'symbol=BTCUSDT&side=BUY&type=MARKET&quoteOrderQty=9',
    );
    expect(sizeOf(facts)).toBe('quote_amount 9');
  });

  test.each([
    ['dapi', 'symbol=BTCUSD_PERP&side=BUY&type=MARKET&quantity=3', 'contracts 3'],
    ['fapi', 'symbol=BTCUSDT&side=BUY&type=STOP_MARKET&closePosition=true', 'undecidable'],
    ['eapi', 'symbol=BTC-260327-90000-C&side=BUY&type=LIMIT&quantity=3&price=1', 'contracts 3'],
  ])('POST /%s/v1/order %s: %s', (api, query, size) => {
    expect(sizeOf(factsOf(`POST /${api}/v1/order`, query))).toBe(size);
  });

  test('a margin is no number of contracts, whatever contract it is for', () => {
    const facts = factsOf('POST /dapi/v1/positionMargin', 'symbol=BTCUSD_PERP&amount=5&type=1');
    expect(sizeOf(facts)).toBe('undecidable');
  });

  test('a batch gives every symbol, side and amount; a silent order makes them undecidable', () => {
    const batch = (orders: object[]) =>
      factsOf(
        'POST /fapi/v1/batchOrders',
        `batchOrders=${encodeURIComponent(JSON.stringify(orders))}`,
      );
    const first = { symbol: 'BTCUSDT', side: 'BUY', type: 'LIMIT', quantity: '1' };
    const second = { symbol: 'ETHUSDT', side: 'SELL', type: 'LIMIT', quantity: '20' };
    expect(batch([first, second])).toMatchObject({
      operationClass: 'trade',
      symbols: ['BTCUSDT', 'ETHUSDT'],
      sides: ['buy', 'sell'],
      amounts: ['1', '20'],
      undecidable: [],
    });
    expect(batch([first, { symbol: 'ETHUSDT', side: 'SELL', type: 'MARKET' }]).undecidable).toEqual(
      ['amount'],
    );
    expect(batch([first, { type: 'MARKET' }]).undecidable).toEqual(['symbols', 'sides', 'amount']);
  });

  test('a withdrawal has its coin and amount; an order pair both sides', () => {
    expect(
      factsOf('POST /sapi/v1/capital/withdraw/apply', 'coin=USDT&address=T1&amount=12.50'),
    ).toMatchObject({
      symbols: ['USDT'],
      amounts: ['12.50'],
    });
    expect(
      factsOf(
        'POST /api/v3/orderList/oto',
        'symbol=BTCUSDT&workingType=LIMIT&workingSide=BUY&workingPrice=1&workingQuantity=2&pendingType=MARKET&pendingSide=SELL&pendingQuantity=3',
      ),
    ).toMatchObject({ sides: ['buy', 'sell'], amounts: ['2', '3'] });
  });

  test.each([
    'symbol=BTCUSDT&side=BUYS&type=MARKET&quantity=1',
    'symbol=BTCUSDT&side=BUY&type=MARKET&quantity=1e3',
    'symbol=BTCUSDT&side=BUY&type=MARKET&quantity=-1',
    'symbol=BTCUSDT&side=BUY&type=MARKET&quantity=01',
    'symbol=BTCUSDT&side=BUY&type=MARKET&quantity=',
    'symbol=btcusdt&side=BUY&type=MARKET&quantity=1',
  ])('%s: a fact that is there and malformed refuses the request', (query) => {
    expect(classify('POST /api/v3/order', { query })).toBe('refused');
  });
});
