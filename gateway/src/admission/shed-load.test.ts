/** Refusals before Express, each held against what Express answers. Real sockets, and the app without its stores. */
import { once } from 'node:events';
import type { Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setTimeout as pause } from 'node:timers/promises';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { refuse } from '@countersign/core/errors.js';
import { totalOf } from '@countersign/runtime/metrics/latency-histogram.js';
import { appTraffic } from '../../../test/support/app-traffic.ts';
import {
  createLedgerBuilder,
  type LedgerBuilder,
  type LedgerUser,
} from '../../../test/support/ledger-builder.ts';
import {
  rawExchange,
  type RawExchange,
  type RawOptions,
  type RawResponse,
} from '../../../test/support/raw-http.ts';
import { createBodyMemory, type BodyHolder } from '../http/body-memory.js';
import { createFastServer } from '../http/fast-server.js';
import { createRateLimits, type RateSettings } from './rate-limits.js';
import type { Dispatcher } from '../sign/dispatcher.js';
import { createApp, type AppDeps } from '../create-app.js';

const MANY = { perAddress: 1_000, perCredential: 1_000, failuresPerAddress: 10 };
const WALLET = '/v1/vaults/00000000-0000-4000-8000-00000000000a/wallets/somewhere/raw-sign';
const USED = refuse('unauthorized', 'the nonce was used before');
const BODY = '{"message":"AAAA"}';
const UUID = /^[\da-f]{8}(-[\da-f]{4}){3}-[\da-f]{12}$/;

let ledger: LedgerBuilder;
let modest: LedgerUser;
let servers: Server[];

beforeEach(() => {
  ledger = createLedgerBuilder();
  modest = ledger.addMachine('modest');
  servers = [];
});
afterEach(() => {
  for (const server of servers) {
    server.closeAllConnections();
    server.close();
  }
});

interface Opened {
  readonly baseUrl: string;
  /** How many bodies Express' routes read. */
  readonly bodiesRead: () => number;
  readonly counted: () => unknown;
}

/** An app whose lanes are full to everybody but `modest`. `hasShedder`: false where only Express looks. */
async function open(hasShedder: boolean, rates: RateSettings = MANY): Promise<Opened> {
  const bodies = createBodyMemory();
  let bodiesRead = 0;
  const limits = createRateLimits(rates, () => ledger.now);
  const traffic = { ...appTraffic(), limits };
  const dispatcher: Pick<Dispatcher, 'isOverloaded' | 'enter'> = {
    isOverloaded: (_lane, _asks, credential) =>
      credential === undefined ? hasShedder : credential !== modest.apiKey,
    enter: () => ({ leave: () => undefined }),
  };
  const deps = {
    follower: {
      get state() {
        return ledger.state;
      },
      confirmedMsAgo: 0,
      fault: undefined,
    },
    dispatcher,
    // whoever gets past the assertion gets no further
    nonces: { claim: async () => USED },
    tokens: { refuse: async () => refuse('unauthorized', 'no such token') },
    bodies: {
      ...bodies,
      open(holder: BodyHolder) {
        bodiesRead += 1;
        return bodies.open(holder);
      },
    },
    ...traffic,
    now: () => ledger.now,
    documents: new Map(),
    console: { files: new Map(), providers: [] },
    logger: { error: () => undefined },
  };
  const server = createFastServer(createApp(deps as unknown as AppDeps)).listen(0, '127.0.0.1');
  servers.push(server);
  await once(server, 'listening');
  return {
    baseUrl: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    bodiesRead: () => bodiesRead,
    counted: () => ({
      refused: { ...limits.refused },
      faults: traffic.tally.authenticationFaults,
      routes: traffic.tally.routes
        .filter(({ statuses }) => statuses.size > 0)
        .map(({ path, statuses, reasons }) => [path, [...statuses], [...reasons]]),
      timed: totalOf(traffic.tally.signing.counts),
    }),
  };
}

interface Asking {
  readonly line?: string;
  readonly authorization?: string;
  readonly timestampMs?: number;
  /** In the place of those of the same name; undefined: left out. */
  readonly headers?: Readonly<Record<string, string | undefined>>;
  readonly body?: string;
}

/** As far as a caller gets with a stolen API key alone: the assertion is no signature of anything. */
function request({ line = `POST ${WALLET} HTTP/1.1`, body = BODY, ...asking }: Asking = {}) {
  const { authorization = `ApiKey ${ledger.admin.apiKey}`, timestampMs = ledger.now } = asking;
  const timestamp = Buffer.alloc(8);
  timestamp.writeBigUInt64LE(BigInt(timestampMs));
  const headers = {
    host: 'vault',
    authorization,
    'x-request-nonce': '00'.repeat(8),
    'x-request-timestamp': timestamp.toString('hex'),
    'x-request-assertion': 'A'.repeat(86),
    'content-type': 'application/json',
    'content-length': String(Buffer.byteLength(body)),
    ...asking.headers,
  };
  const lines = Object.entries(headers).flatMap(([name, value]) =>
    value === undefined ? [] : [`${name}: ${value}`],
  );
  return [line, ...lines, '', body].join('\r\n');
}

/** All that an answer says but when it was given, and under which id. */
function plain({ status, headers, text }: RawResponse) {
  const { 'x-request-id': id, date, ...others } = headers;
  expect(id).toMatch(UUID);
  expect(Date.parse(date ?? '')).not.toBeNaN();
  return { status, headers: others, text };
}

function plainly({ responses, isClosed }: RawExchange) {
  return { answers: responses.map(plain), isClosed };
}

const OVERLOADED = { err_type: 'gateway_timeout', err_msg: 'the service is overloaded' };

describe('a request that has no room', () => {
  it('is told so with 504, and its connection stays', async () => {
    const { baseUrl, bodiesRead } = await open(true);
    const exchange = await rawExchange(baseUrl, request(), { afterFirst: request(), expect: 2 });
    expect(exchange.isClosed).toBe(false);
    expect(exchange.responses).toHaveLength(2);
    for (const { status, headers, body } of exchange.responses) {
      expect([status, body]).toEqual([504, OVERLOADED]);
      expect(headers).toMatchObject({ 'retry-after': '1', connection: 'keep-alive' });
    }
    expect(bodiesRead()).toBe(0);
    const ids = exchange.responses.map(({ headers }) => headers['x-request-id']);
    expect(new Set(ids).size).toBe(2);
  });

  it('is told it in its turn where requests come before the answers to others', async () => {
    const { baseUrl, bodiesRead } = await open(true);
    const other = request({ line: 'GET /v1/nothing HTTP/1.1', body: '' });
    const mine = request({ authorization: `ApiKey ${modest.apiKey}` });
    const { responses } = await rawExchange(baseUrl, request() + other + request() + mine, {
      expect: 4,
    });
    expect(responses.map(({ status }) => status)).toEqual([504, 404, 504, 401]);
    expect(bodiesRead()).toBe(1);
  });

  it('goes the long way to the same answer while its body is on its way', async () => {
    const { baseUrl, bodiesRead } = await open(true);
    const whole = request();
    const cut = whole.length - 5;
    const trickle: RawOptions['trickle'] = (write) => setTimeout(() => write(whole.slice(cut)), 50);
    const atOnce = await rawExchange(baseUrl, whole);
    expect(bodiesRead()).toBe(0);
    const late = await rawExchange(baseUrl, whole.slice(0, cut), { trickle, timeoutMs: 5_000 });
    expect(bodiesRead()).toBe(1);
    expect(plainly(late)).toEqual(plainly(atOnce));
    const never = await rawExchange(baseUrl, whole.slice(0, cut), { timeoutMs: 200 });
    expect(never.responses).toEqual([]);
  });

  it('leaves nothing behind where its caller has gone', async () => {
    const { baseUrl } = await open(true);
    await Promise.all(
      Array.from({ length: 20 }, () => rawExchange(baseUrl, request(), { timeoutMs: 1 })),
    );
    await pause(20);
    const { responses } = await rawExchange(baseUrl, request());
    expect(responses.map(({ status }) => status)).toEqual([504]);
  });
});

describe('whoever has room', () => {
  it('comes to have their signature checked, while others are refused', async () => {
    const { baseUrl } = await open(true);
    const { responses } = await rawExchange(
      baseUrl,
      request({ authorization: `ApiKey ${modest.apiKey}` }) + request(),
      { expect: 2 },
    );
    expect(responses.map(({ status }) => status)).toEqual([401, 504]);
    expect(responses[0]!.text).toContain('what this server read');
  });
});

/** By what is wrong with them, or unusual. */
const OTHERS: Readonly<Record<string, () => Asking>> = {
  'an ordinary one': () => ({}),
  'one with a query': () => ({ line: `POST ${WALLET}?a=b HTTP/1.1` }),
  'a key that nobody has': () => ({
    authorization: 'ApiKey 00000000-0000-4000-8000-000000000000',
  }),
  'what is no key': () => ({ authorization: 'ApiKey x' }),
  'a token': () => ({ authorization: 'Bearer x.y.z' }),
  'no credential': () => ({ headers: { authorization: undefined } }),
  'no nonce': () => ({ headers: { 'x-request-nonce': undefined } }),
  'a malformed nonce': () => ({ headers: { 'x-request-nonce': 'z' } }),
  'a nonce twice': () => ({ headers: { 'X-Request-Nonce': '11'.repeat(8) } }),
  'a stale one': () => ({ timestampMs: ledger.now - 301_000 }),
  'one that is not JSON': () => ({ headers: { 'content-type': 'text/plain' } }),
  'one that is compressed': () => ({ headers: { 'content-encoding': 'gzip' } }),
  'one in chunks': () => ({
    headers: { 'content-length': undefined, 'transfer-encoding': 'chunked' },
    body: '2\r\n{}\r\n0\r\n\r\n',
  }),
  'one without a body': () => ({ body: '' }),
  'no host': () => ({ headers: { host: undefined } }),
  'an old HTTP': () => ({ line: `POST ${WALLET} HTTP/1.0` }),
  'one that ends its connection': () => ({ headers: { connection: 'close' } }),
  'one that waits to be asked': () => ({ headers: { expect: '100-continue' } }),
  'a path with dots': () => ({ line: `POST ${WALLET.replace('vaults', '..')} HTTP/1.1` }),
  'a path that is escaped': () => ({ line: `POST ${WALLET.replace('where', '%2f')} HTTP/1.1` }),
  'another method': () => ({ line: `PUT ${WALLET} HTTP/1.1` }),
  'another route': () => ({ line: 'POST /v1/users HTTP/1.1' }),
  'no route': () => ({ line: `POST ${WALLET}/ HTTP/1.1` }),
};

describe('with the shedder as without it', () => {
  it.each(Object.entries(OTHERS))('%s is answered, and counted', async (_name, asking) => {
    const [shedder, express] = [await open(true), await open(false)];
    const options = { timeoutMs: 2_000 };
    const expected = plainly(await rawExchange(express.baseUrl, request(asking()), options));
    expect(expected.answers).toHaveLength(1);
    expect(plainly(await rawExchange(shedder.baseUrl, request(asking()), options))).toEqual(
      expected,
    );
    expect(shedder.counted()).toEqual(express.counted());
  });

  it('a body that is announced as too large is refused for that', async () => {
    const asking = { headers: { 'content-length': String(256 * 1024 + 1) } };
    const [shedder, express] = [await open(true), await open(false)];
    const expected = plainly(await rawExchange(express.baseUrl, request(asking)));
    expect(expected.answers[0]!.status).toBe(400);
    expect(plainly(await rawExchange(shedder.baseUrl, request(asking)))).toEqual(expected);
  });

  it('nobody is refused without a genesis, or a ledger that can be reached: they are told that', async () => {
    const shedder = await open(true);
    Object.defineProperty(ledger, 'state', { value: { ...ledger.state, genesisHash: '' } });
    const { responses } = await rawExchange(shedder.baseUrl, request());
    expect(responses[0]!.text).not.toContain(OVERLOADED.err_msg);
    expect(responses[0]!.status).toBe(403);
  });

  it('a flood by one address is counted, and told so in the end', async () => {
    const rates = { ...MANY, perAddress: 5 };
    const [shedder, express] = [await open(true, rates), await open(false, rates)];
    const flood = request().repeat(20);
    const expected = plainly(await rawExchange(express.baseUrl, flood, { expect: 20 }));
    expect(new Set(expected.answers.map(({ text }) => text)).size).toBe(2);
    expect(plainly(await rawExchange(shedder.baseUrl, flood, { expect: 20 }))).toEqual(expected);
    expect(shedder.counted()).toEqual(express.counted());
    expect(shedder.bodiesRead()).toBe(0);
  });

  it('a flood with one credential is one of whoever has it, and uses up nothing of its owner', async () => {
    const rates = { ...MANY, perCredential: 5 };
    const [shedder, express] = [await open(true, rates), await open(false, rates)];
    const flood = request().repeat(20);
    for (const { baseUrl } of [shedder, express]) {
      const { responses } = await rawExchange(baseUrl, flood, { expect: 20 });
      expect(responses.map(({ body }) => body)).toEqual(Array(20).fill(OVERLOADED));
    }
    expect(shedder.counted()).toEqual(express.counted());
    expect(shedder.bodiesRead()).toBe(0);
  });
});
