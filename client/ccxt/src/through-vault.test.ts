import { beforeAll, describe, expect, jest, test } from '@jest/globals';
import { ccxtClass, ccxtErrors, loadCcxt } from '../../../test/support/ccxt-signing.js';
import type { SignedRequest, UnsignedRequest } from './unsigned-request.js';
import { throughVault } from './through-vault.js';
import { SigningFailure, type VenueSigner } from './venue-signer.js';

beforeAll(() => loadCcxt('binance', 'kraken', 'okx', 'pro/okx', 'pro/bybit', 'gemini'), 60_000);

interface Sent {
  readonly url: string;
  readonly method: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: string;
}

type Asked = UnsignedRequest & { readonly channel: string };

/** Puts headers of its own to what it is given, and remembers it. */
function recordingSigner(change: Partial<SignedRequest> = {}) {
  const asked: Asked[] = [];
  const signer: VenueSigner = {
    sign: async (request, channel) => {
      asked.push({ ...request, channel });
      const headers = request.path.startsWith('/api/v5/')
        ? { 'OK-ACCESS-SIGN': 'of the vault' }
        : {};
      return { ...request, headers, ...change };
    },
    close: () => undefined,
  };
  return { asked, signer };
}

function open(name: string, signer: VenueSigner, config: object = {}) {
  const sent: Sent[] = [];
  const Exchange = throughVault(ccxtClass(name), ccxtErrors());
  const exchange = new Exchange({
    enableRateLimit: false,
    countersign: { signer, venueUrl: 'http://127.0.0.1:9' },
    fetchImplementation: async (url: string, { method, headers, body }: Omit<Sent, 'url'>) => {
      sent.push({ url, method, headers, ...(body !== undefined && { body }) });
      const answer = { code: '0', data: [], error: [], result: {}, balances: [] };
      return new Response(JSON.stringify(answer), {
        headers: { 'content-type': 'application/json' },
      });
    },
    ...config,
  });
  return {
    sent,
    exchange: exchange as unknown as Record<string, (given?: object) => Promise<unknown>>,
  };
}

const ASKED = 'symbol=BTCUSDT&recvWindow=10000';

describe('a signed request', () => {
  test('is asked for without what ccxt put in, and goes out as the vault gave it', async () => {
    const { asked, signer } = recordingSigner({ query: `${ASKED}&timestamp=2&signature=3` });
    const { exchange, sent } = open('binance', signer);
    await exchange['privateGetOpenOrders']!({ symbol: 'BTCUSDT' });
    expect(asked).toEqual([
      {
        channel: 'rest',
        method: 'GET',
        path: '/api/v3/openOrders',
        query: ASKED,
        body: '',
      },
    ]);
    expect(sent[0]!.url).toBe(
      `http://127.0.0.1:9/api/v3/openOrders?${ASKED}&timestamp=2&signature=3`,
    );
    expect(Object.keys(sent[0]!.headers)).not.toContain('X-MBX-APIKEY');
  });

  test('has no trace of the placeholder, also not in a body', async () => {
    const { asked, signer } = recordingSigner();
    const { exchange, sent } = open('okx', signer);
    await exchange['privatePostTradeOrder']!({ instId: 'BTC-USDT', sz: '1' });
    expect(JSON.parse(asked[0]!.body)).toMatchObject({ instId: 'BTC-USDT', sz: '1' });
    expect(JSON.stringify(sent)).not.toContain('countersign');
    expect(sent[0]!.headers).toMatchObject({ 'OK-ACCESS-SIGN': 'of the vault' });
  });

  test('has lists in the one spelling that the vault signs', async () => {
    const { asked, signer } = recordingSigner();
    const { exchange } = open('binance', signer);
    const batchOrders = [{ symbol: 'BTCUSDT', newClientOrderId: 'a' }];
    await exchange['fapiPrivatePostBatchOrders']!({ batchOrders });
    const list = encodeURIComponent(JSON.stringify(batchOrders));
    expect(asked[0]!.body).toBe(`batchOrders=${list}&recvWindow=10000`);
  });

  test.each([
    ['AddOrder', { pair: 'XBTUSD' }, 'pair=XBTUSD'],
    ['AddOrderBatch', { pair: 'XBTUSD' }, '{"pair":"XBTUSD"}'],
  ])("is without Kraken's nonce, in a form as in JSON: %s", async (name, given, body) => {
    const { asked, signer } = recordingSigner();
    await open('kraken', signer).exchange[`privatePost${name}`]!(given);
    expect(asked[0]).toMatchObject({ path: `/0/private/${name}`, body });
  });

  test('goes one at a time where nonces rise, a failed one included', async () => {
    let count = 0;
    let underWay = 0;
    let most = 0;
    const signer: VenueSigner = {
      sign: async (request) => {
        const isFirst = ++count === 1;
        most = Math.max(most, ++underWay);
        await new Promise((resolve) => setImmediate(resolve));
        underWay -= 1;
        if (isFirst) throw new SigningFailure({ errType: 'forbidden', errMsg: 'no' });
        return { ...request, headers: {} };
      },
      close: () => undefined,
    };
    const { exchange, sent } = open('kraken', signer);
    const all = await Promise.allSettled([1, 2, 3].map(() => exchange['privatePostBalance']!()));
    expect(all.map(({ status }) => status)).toEqual(['rejected', 'fulfilled', 'fulfilled']);
    expect([count, most]).toEqual([3, 1]);
    expect(sent).toHaveLength(2);
  });
});

test('what needs no signature is not shown to the vault', async () => {
  const { asked, signer } = recordingSigner();
  const { exchange, sent } = open('okx', signer);
  await exchange['publicGetPublicTime']!();
  expect([asked, sent[0]!.url]).toEqual([[], 'http://127.0.0.1:9/api/v5/public/time']);
});

describe('an answer that is none to what was asked', () => {
  test.each<[string, Partial<SignedRequest>]>([
    ['binance', { path: '/sapi/v1/capital/withdraw/apply' }],
    ['binance', { path: '@elsewhere.example/api/v3/openOrders' }],
    ['binance', { method: 'DELETE' }],
    ['binance', { query: 'symbol=ETHUSDT&recvWindow=10000&timestamp=1&signature=x' }],
    ['binance', { query: `${ASKED}&coin=BTC&timestamp=1&signature=x` }],
    ['binance', { body: 'coin=BTC' }],
    // what the vault puts in of its own cuts off, or repeats, what was asked
    ['binance', { query: `signature=x#&${ASKED}` }],
    ['binance', { query: `${ASKED}&signature=x%00y z` }],
    ['binance', { query: `${ASKED}recvWindow=5000&timestamp=1&signature=x` }],
    ['binance', { query: `${ASKED}&signature=x&signature=y` }],
    ['binance', { query: ASKED.replace('BTCUSDT', 'BTC#USDT') }],
    ['binance', { headers: { Host: 'elsewhere.example' } }],
    ['okx', { headers: { 'Transfer-Encoding': 'chunked' } }],
    ['okx', { headers: { 'X-HTTP-Method-Override': 'DELETE' } }],
    ['okx', { headers: { 'OK-ACCESS-SIGN': 'x\r\nHost: elsewhere' } }],
    ['okx', { headers: { 'Content-Type': 'text/html' } }],
    ['okx', { query: 'instType=SWAP' }],
    ['okx', { body: '{}' }],
  ])('at %s is not sent: %j', async (name, change) => {
    const { exchange, sent } = open(name, recordingSigner(change).signer);
    const asked =
      name === 'okx'
        ? exchange['privateGetTradeOrdersPending']!({})
        : exchange['privateGetOpenOrders']!({ symbol: 'BTCUSDT' });
    await expect(asked).rejects.toMatchObject({ name: 'ExchangeError' });
    expect(sent).toEqual([]);
  });

  test.each([
    ['symbol=A&timestamp=1&recvWindow=5000&signature=x', { symbol: 'A' }],
    ['timestamp=1&recvWindow=5000&signature=x', {}],
  ])('is not what the vault puts in by itself: %s', async (query, asked) => {
    const { signer } = recordingSigner({ query });
    const { exchange, sent } = open('binance', signer, { options: { recvWindow: undefined } });
    await exchange['privateGetOpenOrders']!(asked);
    expect(sent).toHaveLength(1);
  });
});

/** As the vault words them. */
const OF_RULE =
  'no signing policy rule allows this request; rule r of signing policy p, version 1 ("a day"): velocity: 7 asked for, 5 amount allowed in 86400 s';
const LIMIT_REACHED = `${OF_RULE}, at most 0.5 left, room in 37 s or later`;
const LIMIT_TOO_SMALL = `${OF_RULE}: it is more than the whole limit`;

describe('a refusal', () => {
  test.each([
    [
      { errType: 'forbidden', errMsg: 'no signing policy rule allows this request' },
      'PermissionDenied',
    ],
    [{ errType: 'forbidden', errMsg: 'rule "the key is frozen" denies' }, 'PermissionDenied'],
    [{ errType: 'forbidden', errMsg: 'the key is frozen' }, 'AccountSuspended'],
    [{ errType: 'forbidden', errMsg: 'the venue is frozen' }, 'AccountSuspended'],
    [{ errType: 'forbidden', errMsg: LIMIT_REACHED }, 'RateLimitExceeded'],
    [{ errType: 'forbidden', errMsg: LIMIT_TOO_SMALL }, 'PermissionDenied'],
    [{ errType: 'unauthorized', errMsg: 'x', status: 401 }, 'AuthenticationError'],
    [{ errType: 'invalid_inputs', errMsg: 'x', status: 422 }, 'BadRequest'],
    [{ errType: 'forbidden', errMsg: 'x', status: 429 }, 'RateLimitExceeded'],
    [{ errType: 'gateway_timeout', errMsg: 'x', status: 504 }, 'ExchangeNotAvailable'],
    [{ errType: 'unreachable', errMsg: 'x' }, 'ExchangeNotAvailable'],
    [{ errType: 'still_processing', errMsg: 'x' }, 'RequestTimeout'],
    [{ errType: 'expired', errMsg: 'x' }, 'ExchangeNotAvailable'],
    [{ errType: 'cancelled', errMsg: 'x' }, 'PermissionDenied'],
    [{ errType: 'bad_answer', errMsg: 'x' }, 'ExchangeError'],
  ])('%j is %s, and nothing is sent', async (callError, name) => {
    const signer = {
      sign: () => Promise.reject(new SigningFailure(callError)),
      close: () => undefined,
    };
    const { exchange, sent } = open('okx', signer);
    const asked = exchange['privateGetAccountBalance']!();
    await expect(asked).rejects.toMatchObject({
      name,
      message: expect.stringContaining(callError.errMsg),
    });
    await expect(asked).rejects.toBeInstanceOf((ccxtErrors() as never)[name]);
    expect(sent).toEqual([]);
  });
});

describe('wrong use', () => {
  const { signer } = recordingSigner();

  test.each(['secret', 'password', 'privateKey'])('a bot that brings a %s', (name) => {
    expect(() => open('okx', signer, { [name]: 'mine' })).toThrow(TypeError);
  });

  test('an exchange that is not served', () => {
    expect(() => open('gemini', signer)).toThrow(RangeError);
  });
});

describe('a login on a WebSocket', () => {
  /** ccxt's class with a socket that only remembers, and never hears an answer. */
  function openSocket(name: string, signer: VenueSigner) {
    const watched: unknown[] = [];
    const Base = ccxtClass(name) as unknown as new (config?: object) => {
      id: string;
      fetch(): Promise<unknown>;
      close(): Promise<unknown>;
      client(url: string): { reject(error: Error, messageHash: string): void };
    };
    class Socket extends Base {
      async watch(_url: string, _hash: string, message: unknown): Promise<unknown> {
        watched.push(message);
        return undefined;
      }
    }
    const Exchange = throughVault(Socket, ccxtErrors());
    const exchange = new Exchange({ countersign: { signer } });
    return {
      watched,
      exchange: exchange as unknown as Record<
        string,
        (given?: object | string) => Promise<unknown>
      >,
    };
  }

  const until = async (holds: () => boolean): Promise<void> => {
    while (!holds()) await new Promise((resolve) => setImmediate(resolve));
  };

  test('is the vault’s message, asked for once', async () => {
    const args = [{ apiKey: 'a', passphrase: 'p', timestamp: '1', sign: 's' }];
    const { asked, signer } = recordingSigner({ body: JSON.stringify({ op: 'login', args }) });
    const { exchange, watched } = openSocket('pro/okx', signer);
    void exchange['authenticate']!();
    void exchange['authenticate']!();
    await until(() => watched.length > 0);
    expect(watched).toEqual([{ op: 'login', args }]);
    expect(asked).toEqual([{ channel: 'ws', method: 'login', path: '', query: '', body: '' }]);
  });

  test.each([
    { op: 'subscribe', args: [{ channel: 'account' }] },
    { op: 'order', args: [{ instId: 'BTC-USDT' }] },
    {},
  ])('that is none is not sent: %j', async (text) => {
    const { signer } = recordingSigner({ body: JSON.stringify(text) });
    const { exchange, watched } = openSocket('pro/okx', signer);
    await expect(exchange['authenticate']!()).rejects.toMatchObject({ name: 'ExchangeError' });
    expect(watched).toEqual([]);
  });

  test('that is denied comes to whoever waits for it', async () => {
    const failure = new SigningFailure({ errType: 'forbidden', errMsg: 'class session' });
    const signer = { sign: jest.fn(() => Promise.reject(failure)), close: () => undefined };
    const { exchange, watched } = openSocket('pro/bybit', signer);
    const login = exchange['authenticate']!('wss://stream.bybit.com/v5/private');
    await expect(login).rejects.toMatchObject({ name: 'PermissionDenied' });
    expect(watched).toEqual([]);
  });
});
