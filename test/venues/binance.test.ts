import { createPrivateKey, generateKeyPairSync } from 'node:crypto';
import { describe, expect, test } from '@jest/globals';
import { BINANCE } from '@countersign/shared/venues/binance.js';
import { endpointName } from '@countersign/shared/venues/engine/endpoint-table.js';
import { BINANCE_FUNDS } from '@countersign/shared/venues/tables/binance-funds.js';
import { BINANCE_FUTURES } from '@countersign/shared/venues/tables/binance-futures.js';
import { BINANCE_PORTFOLIO_MARGIN } from '@countersign/shared/venues/tables/binance-portfolio-margin.js';
import { BINANCE_SESSIONS } from '@countersign/shared/venues/tables/binance-sessions.js';
import { BINANCE_SPOT } from '@countersign/shared/venues/tables/binance-spot.js';
import { BINANCE_WALLET } from '@countersign/shared/venues/tables/binance-wallet.js';
import type { VenueKey, VenueRequest } from '@countersign/shared/venues/venue.js';
import fc from 'fast-check';
import { signWithCcxt, type CcxtCall } from '../support/ccxt-signing.ts';
import {
  classOf,
  oneLetterOff,
  planOf,
  refusalOf,
  restRequest,
  signPlan,
  wsRequest,
  type SigningSecret,
} from '../support/venue-checks.ts';

// the venue's own examples (rest-api.md, web-socket-api.md, fix-api.md); these keys are public
const DOC_API_KEY = 'vmPUZE6mv9SD5VNHk4HlWFsOr6aKE2zvsw0MuIgwCIPy6utIco14y7Ju91duEh8A';
const DOC_SECRET = Buffer.from('NhqPtmdSJYdKjVHjA7PZj4Mge3R5YNiP1e3UZjInClVN65XAbvqqM6A7H5fATj0j');
const DOC_AT = 1_499_827_319_559;
const REQUEST_ID = '4885f793-e5ad-4c3b-8f6c-55d891472b71';

const HMAC_KEY: VenueKey = { type: 'hmac', apiKey: DOC_API_KEY };
const ED25519_KEY: VenueKey = { type: 'ed25519', apiKey: DOC_API_KEY };
const RSA_KEY: VenueKey = { type: 'rsa', apiKey: DOC_API_KEY };

const ENDPOINTS = [
  ...BINANCE_SPOT,
  ...BINANCE_WALLET,
  ...BINANCE_FUNDS,
  ...BINANCE_FUTURES,
  ...BINANCE_PORTFOLIO_MARGIN,
  ...BINANCE_SESSIONS,
];

function moment(at: number) {
  return { at, nonce: 0n, requestId: REQUEST_ID };
}

function classify(line: string, parts: { query?: string; body?: string } = {}) {
  return classOf(BINANCE, restRequest(line, parts), HMAC_KEY);
}

describe("the venue's own examples", () => {
  const order = 'side=BUY&type=LIMIT&timeInForce=GTC&quantity=1&price=0.1&recvWindow=5000';

  test.each([
    ['ASCII', 'LTCBTC', 'c8db56825ae71d6d79447849e617115f4a920fa2acdcab2b053c4b2838bd6b71'],
    [
      'a symbol of another script',
      '%EF%BC%91%EF%BC%92%EF%BC%93%EF%BC%94%EF%BC%95%EF%BC%96',
      'e1353ec6b14d888f1164ae9af8228a3dbd508bc82eb867db8ab6046442f33ef3',
    ],
  ])('HMAC, %s: as body and as query', (_, symbol, signature) => {
    const stated = `symbol=${symbol}&${order}`;
    const sent = `${stated}&timestamp=${DOC_AT}&signature=${signature}`;
    const asBody = planOf(BINANCE, restRequest('POST /api/v3/order', { body: stated }), HMAC_KEY);
    expect(signPlan(asBody, DOC_SECRET, moment(DOC_AT))).toEqual({
      method: 'POST',
      path: '/api/v3/order',
      query: '',
      headers: {
        'X-MBX-APIKEY': DOC_API_KEY,
        'Content-Type': 'application/x-www-form-urlencoded',
      },
      body: sent,
    });
    const asQuery = planOf(BINANCE, restRequest('POST /api/v3/order', { query: stated }), HMAC_KEY);
    expect(signPlan(asQuery, DOC_SECRET, moment(DOC_AT))).toMatchObject({ query: sent, body: '' });
    expect(asQuery.facts.symbols).toEqual([decodeURIComponent(symbol)]);
  });

  test('RSA: the string, and the signature as it stands in the URL', () => {
    const query = 'symbol=BTCUSDT&side=SELL&type=LIMIT&timeInForce=GTC&quantity=1&price=0.2';
    const composed = planOf(BINANCE, restRequest('POST /api/v3/order', { query }), RSA_KEY).compose(
      moment(1_668_481_559_918),
    );
    expect(Buffer.from(composed.message).toString()).toBe(
      `${query}&timestamp=1668481559918&recvWindow=5000`,
    );
    // the private key of this example is not public: its signature is, encoded and not
    const signature = Buffer.from(
      'HZ8HOjiJ1s/igS9JA+n7+7Ti/ihtkRF5BIWcPIEluJP6tlbFM/Bf44LfZka/iemtahZAZzcO9TnI5uaXh3++lrqtNonCwp6/245UFWkiW1elpgtVAmJPbogcAv6rSlokztAfWk296ZJXzRDYAtzGH0gq7CgSJKfH+XxaCmR0WcvlKjNQnp12/eKXJYO4tDap8UCBLuyxDnR7oJKLHQHJLP0r0EAVOOSIbrFang/1WOq+Jaq4Efc4XpnTgnwlBbWTmhWDR1pvS9iVEzcSYLHT/fNnMRxFc7u+j3qI//5yuGuu14KR0MuQKKCSpViieD+fIti46sxPTsjSemoUKp0oXA==',
      'base64',
    );
    expect(composed.finish(signature, '').query).toBe(
      `${query}&timestamp=1668481559918&recvWindow=5000&signature=` +
        'HZ8HOjiJ1s%2FigS9JA%2Bn7%2B7Ti%2FihtkRF5BIWcPIEluJP6tlbFM%2FBf44LfZka%2FiemtahZAZzcO9TnI5uaXh3%2B%2BlrqtNonCwp6%2F245UFWkiW1elpgtVAmJPbogcAv6rSlokztAfWk296ZJXzRDYAtzGH0gq7CgSJKfH%2BXxaCmR0WcvlKjNQnp12%2FeKXJYO4tDap8UCBLuyxDnR7oJKLHQHJLP0r0EAVOOSIbrFang%2F1WOq%2BJaq4Efc4XpnTgnwlBbWTmhWDR1pvS9iVEzcSYLHT%2FfNnMRxFc7u%2Bj3qI%2F%2F5yuGuu14KR0MuQKKCSpViieD%2BfIti46sxPTsjSemoUKp0oXA%3D%3D',
    );
  });

  test('WebSocket: sorted, not encoded, with the API key inside', () => {
    const params = {
      symbol: 'BTCUSDT',
      side: 'SELL',
      type: 'LIMIT',
      timeInForce: 'GTC',
      quantity: '0.01000000',
      price: '52000.00',
      newOrderRespType: 'ACK',
      recvWindow: 100,
    };
    const plan = planOf(BINANCE, wsRequest('order.place', params), HMAC_KEY);
    const signed = signPlan(plan, DOC_SECRET, moment(1_645_423_376_532));
    expect(JSON.parse(signed.body)).toEqual({
      id: REQUEST_ID,
      method: 'order.place',
      params: {
        ...params,
        timestamp: 1_645_423_376_532,
        apiKey: DOC_API_KEY,
        signature: 'cc15477742bd704c29492d96c7ead9414dfd8e0ec4a00f947bb5bb454ddbd08a',
      },
    });
    expect(plan.facts).toMatchObject({
      operationClass: 'trade',
      endpoint: 'order.place',
      symbols: ['BTCUSDT'],
      sides: ['sell'],
      amounts: ['0.01000000'],
      binds: ['body', 'time'],
    });
  });

  test('FIX logon: the fields joined by SOH, Ed25519', () => {
    const secret = createPrivateKey({
      key: Buffer.from(
        'MC4CAQAwBQYDK2VwBCIEIIJEYWtGBrhACmb9Dvy+qa8WEf0lQOl1s4CLIAB9m89u',
        'base64',
      ),
      format: 'der',
      type: 'pkcs8',
    });
    const body = { SenderCompID: 'EXAMPLE', TargetCompID: 'SPOT', MsgSeqNum: 1 };
    const request: VenueRequest = { ...wsRequest('Logon', body), channel: 'fix' };
    const plan = planOf(BINANCE, request, ED25519_KEY);
    const at = Date.parse('2024-06-27T11:17:25.223Z');
    expect(JSON.parse(signPlan(plan, secret, moment(at)).body)).toEqual({
      ...body,
      MsgType: 'A',
      SendingTime: '20240627-11:17:25.223',
      RawDataLength: 88,
      RawData:
        '4MHXelVVcpkdwuLbl6n73HQUXUf1dse2PCgT1DYqW9w8AVZ1RACFGM+5UdlGPrQHrgtS3CvsRURC1oj73j8gCA==',
      Username: DOC_API_KEY,
    });
    expect(plan.facts).toMatchObject({ operationClass: 'session', binds: ['time', 'session'] });
  });
});

describe('the same bytes as ccxt', () => {
  const at = 1_700_000_000_123;
  const rsa = generateKeyPairSync('rsa', { modulusLength: 2048 }).privateKey;
  const ed25519 = generateKeyPairSync('ed25519').privateKey;
  const keys: [VenueKey['type'], SigningSecret, string][] = [
    ['hmac', DOC_SECRET, DOC_SECRET.toString()],
    ['rsa', rsa, rsa.export({ format: 'pem', type: 'pkcs8' }).toString()],
    ['ed25519', ed25519, ed25519.export({ format: 'pem', type: 'pkcs8' }).toString()],
  ];
  const calls: [string, VenueRequest, Pick<CcxtCall, 'api' | 'method' | 'path' | 'params'>][] = [
    [
      'a read',
      restRequest('GET /api/v3/myTrades', { query: 'symbol=BTCUSDT&limit=10' }),
      { api: 'private', method: 'GET', path: 'myTrades', params: { symbol: 'BTCUSDT', limit: 10 } },
    ],
    [
      'a read without parameters',
      restRequest('GET /fapi/v3/account'),
      { api: 'fapiPrivateV3', method: 'GET', path: 'account', params: {} },
    ],
    [
      'an order',
      restRequest('POST /api/v3/order', {
        body: 'symbol=BTCUSDT&side=BUY&type=LIMIT&quantity=0.5&price=20000&timeInForce=GTC&newClientOrderId=desk-1',
      }),
      {
        api: 'private',
        method: 'POST',
        path: 'order',
        params: {
          symbol: 'BTCUSDT',
          side: 'BUY',
          type: 'LIMIT',
          quantity: '0.5',
          price: '20000',
          timeInForce: 'GTC',
          newClientOrderId: 'desk-1',
        },
      },
    ],
    [
      'a cancellation',
      restRequest('DELETE /fapi/v1/order', { query: 'symbol=BTCUSDT&orderId=7' }),
      {
        api: 'fapiPrivate',
        method: 'DELETE',
        path: 'order',
        params: { symbol: 'BTCUSDT', orderId: 7 },
      },
    ],
    [
      'a withdrawal',
      restRequest('POST /sapi/v1/capital/withdraw/apply', {
        body: 'coin=USDT&address=TQx1&amount=12.5&network=TRX',
      }),
      {
        api: 'sapi',
        method: 'POST',
        path: 'capital/withdraw/apply',
        params: { coin: 'USDT', address: 'TQx1', amount: '12.5', network: 'TRX' },
      },
    ],
  ];

  test.each(
    keys.flatMap(([type, secret, pem]) =>
      calls.map(([what, request, call]) => ({ type, what, secret, pem, request, call })),
    ),
  )('$type key, $what', ({ type, secret, pem, request, call }) => {
    const key: VenueKey = { type, apiKey: DOC_API_KEY };
    const ours = signPlan(planOf(BINANCE, request, key), secret, moment(at));
    const theirs = signWithCcxt({
      ...call,
      exchange: 'binance',
      apiKey: DOC_API_KEY,
      secret: pem,
      at,
      options: { recvWindow: 5000 },
      timestampLast: true,
    });
    expect(ours).toEqual({
      method: theirs.method,
      path: theirs.path,
      query: theirs.query,
      body: theirs.body,
      headers: theirs.headers,
    });
  });
});

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
    ['POST /fapi/v1/positionMargin', 'symbol=BTCUSDT&amount=5&type=1', 'trade'],
    ['GET /api/v3/account', '', 'read'],
    ['GET /sapi/v1/capital/withdraw/history', 'coin=USDT&limit=10&startTime=1', 'read'],
    ['GET /sapi/v1/capital/deposit/address', 'coin=USDT&network=TRX', 'read'],
    ['GET /sapi/v1/account/apiRestrictions', '', 'read'],
  ])('%s is %s: %s', (line, parameters, operationClass) => {
    const plan = planOf(BINANCE, restRequest(line, { query: parameters }), HMAC_KEY);
    expect(plan.facts).toMatchObject({ operationClass, endpoint: line, venueId: 'binance' });
  });

  test.each([
    ['GET /api/v3/order', 'symbol=BTCUSDT&orderId=1', 'trade'],
    ['GET /api/v3/openOrders', 'symbol=BTCUSDT', 'trade'],
    ['GET /sapi/v1/sub-account/list', 'email=a%40b.c', 'key_admin'],
    ['GET /sapi/v1/simple-earn/flexible/position', 'productId=P1', 'transfer'],
  ])('%s %s counts as %s, since the same signature does that', (line, query, operationClass) => {
    expect(classify(line, { query })).toBe(operationClass);
  });

  test('nothing that counts as read or trade satisfies an endpoint that moves funds', () => {
    const grave = ENDPOINTS.filter((endpoint) =>
      ['withdraw', 'transfer', 'key_admin'].includes(endpoint.operationClass),
    ).map((endpoint) => endpoint.names?.required ?? []);
    const rest = ENDPOINTS.filter(
      ({ channel, entries }) => channel === 'rest' && entries === undefined,
    );
    fc.assert(
      fc.property(
        fc.constantFrom(...rest).chain((endpoint) => {
          const { required = [], optional = [] } = endpoint.names ?? {};
          return fc.record({
            endpoint: fc.constant(endpoint),
            names: fc.subarray([...optional]).map((some) => [...required, ...some]),
          });
        }),
        ({ endpoint, names }) => {
          // a value that every kind of field takes: a symbol, an amount, a name; sides apart
          const query = names
            .map((name) => `${name}=${/side$/i.test(name) ? 'BUY' : '1'}`)
            .join('&');
          const seen = classify(endpointName(endpoint), { query });
          if (seen === 'read' || seen === 'trade') {
            const reached = grave.filter(
              (required) => required.length > 0 && required.every((name) => names.includes(name)),
            );
            expect(reached).toEqual([]);
          }
        },
      ),
      { numRuns: 3000 },
    );
  });

  test('every row of the tables comes out at least as severe as it is listed', () => {
    const severity = ['read', 'trade', 'transfer', 'withdraw', 'key_admin'];
    const tooMild: string[] = [];
    for (const endpoint of ENDPOINTS) {
      if (endpoint.channel !== 'rest' || endpoint.entries !== undefined) continue;
      const query = (endpoint.names?.required ?? [])
        .map((name) => `${name}=${/side$/i.test(name) ? 'BUY' : '1'}`)
        .join('&');
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

  test('an amount in the quote currency is undecidable', () => {
    expect(
      factsOf('POST /api/v3/order', 'symbol=BTCUSDT&side=BUY&type=MARKET&quoteOrderQty=9'),
    ).toMatchObject({
      amounts: [],
      undecidable: ['amount'],
    });
  });

  test.each([
    ['POST /dapi/v1/order', 'symbol=BTCUSD_PERP&side=BUY&type=MARKET&quantity=3'],
    ['POST /fapi/v1/order', 'symbol=BTCUSDT&side=BUY&type=STOP_MARKET&closePosition=true'],
    ['POST /eapi/v1/order', 'symbol=BTC-260327-90000-C&side=BUY&type=LIMIT&quantity=3&price=1'],
  ])('%s %s: contracts and whole positions are no amount', (line, query) => {
    expect(factsOf(line, query)).toMatchObject({ amounts: [], undecidable: ['amount'] });
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

describe('what the vault decides', () => {
  test.each(['timestamp=1', 'signature=00', 'Timestamp=1', 'apiKey=x', 'SIGNATURE=00'])(
    '%s stated by the caller is refused',
    (query) => {
      expect(refusalOf(BINANCE, restRequest('GET /api/v3/account', { query }), HMAC_KEY)).toContain(
        'the vault sets',
      );
    },
  );

  test.each([
    ['1', true],
    ['60000', true],
    ['60001', false],
    ['0', false],
    ['5000.5', false],
    ['05', false],
  ])('recvWindow=%s', (value, isFine) => {
    const seen = classify('GET /api/v3/account', { query: `recvWindow=${value}` });
    expect(seen).toBe(isFine ? 'read' : 'refused');
  });

  test('recvWindow is 5000 ms unless the caller says otherwise, on both channels', () => {
    const text = (request: VenueRequest) =>
      Buffer.from(planOf(BINANCE, request, HMAC_KEY).compose(moment(7)).message).toString();
    expect(text(restRequest('GET /api/v3/account'))).toBe('timestamp=7&recvWindow=5000');
    expect(text(wsRequest('account.status'))).toBe(
      `apiKey=${DOC_API_KEY}&recvWindow=5000&timestamp=7`,
    );
  });

  test('session.logon takes an Ed25519 key and is of class session', () => {
    expect(refusalOf(BINANCE, wsRequest('session.logon'), HMAC_KEY)).toContain('Ed25519');
    expect(planOf(BINANCE, wsRequest('session.logon'), ED25519_KEY).facts).toMatchObject({
      operationClass: 'session',
      symbols: [],
      binds: ['time', 'session'],
    });
  });

  test.each([
    ['a hundred characters', { SenderCompID: 'A\u0001X', TargetCompID: 'SPOT', MsgSeqNum: 1 }],
    ['no sequence number', { SenderCompID: 'A', TargetCompID: 'SPOT' }],
    ['a sequence number as text', { SenderCompID: 'A', TargetCompID: 'SPOT', MsgSeqNum: '1' }],
  ])('a FIX logon with %s is refused', (_, body) => {
    const request: VenueRequest = { ...wsRequest('Logon', body), channel: 'fix' };
    expect(classOf(BINANCE, request, ED25519_KEY)).toBe('refused');
  });

  test('endpoint conditions are refused with the reason, others are not', () => {
    expect(BINANCE.unbindable('endpoints')).toContain('neither method nor path');
    expect(BINANCE.unbindable('symbols')).toBeUndefined();
  });
});
