import { createPrivateKey, generateKeyPairSync } from 'node:crypto';
import { describe, expect, test } from '@jest/globals';
import { BINANCE } from '@countersign/venues/binance.js';
import type { VenueKey, VenueRequest } from '@countersign/venues/engine/venue.js';
import { loadCcxt, signWithCcxt, type CcxtCall } from '../support/ccxt-signing.ts';
import {
  classOf,
  planOf,
  refusalOf,
  restRequest,
  signPlan,
  wsRequest,
  type SigningSecret,
} from '../support/venue-checks.ts';
import { rsaTestKey } from '../support/rsa-test-keys.ts';

await loadCcxt('binance');

// the venue's own examples (rest-api.md, web-socket-api.md, fix-api.md); these keys are public
const DOC_API_KEY = 'vmPUZE6mv9SD5VNHk4HlWFsOr6aKE2zvsw0MuIgwCIPy6utIco14y7Ju91duEh8A';
const DOC_SECRET = Buffer.from('NhqPtmdSJYdKjVHjA7PZj4Mge3R5YNiP1e3UZjInClVN65XAbvqqM6A7H5fATj0j');
const DOC_AT = 1_499_827_319_559;
const REQUEST_ID = '4885f793-e5ad-4c3b-8f6c-55d891472b71';

const HMAC_KEY: VenueKey = { type: 'hmac', apiKey: DOC_API_KEY };
const ED25519_KEY: VenueKey = { type: 'ed25519', apiKey: DOC_API_KEY };
const RSA_KEY: VenueKey = { type: 'rsa', apiKey: DOC_API_KEY };

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
  const rsa = rsaTestKey('2048').privateKey;
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
