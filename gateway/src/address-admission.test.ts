/** API keys with a list of addresses, over real sockets: whose word about an address counts, and what goes on record. */
import { randomBytes, sign } from 'node:crypto';
import { once } from 'node:events';
import type { Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { digestOf } from '@countersign/core/evidence.js';
import { appTraffic } from '../../test/support/app-traffic.ts';
import {
  createLedgerBuilder,
  type LedgerBuilder,
  type LedgerUser,
} from '../../test/support/ledger-builder.ts';
import type { BarredAttempt } from './admission/barred-callers.js';
import { createAddressOf, createSourceOf } from './admission/request-source.js';
import { createApp, type AppDeps } from './create-app.js';
import { createBodyMemory } from './http/body-memory.js';
import { createFastServer } from './http/fast-server.js';

const REFUSED = {
  err_type: 'forbidden',
  err_msg: 'the API key may not be used from where this request came from',
};
const PROXY = '127.0.0.1';
const DESK = '203.0.113.9';

let ledger: LedgerBuilder;
let bot: LedgerUser;
let server: Server | undefined;
let baseUrl: string;
let recorded: (BarredAttempt & { address: string })[];

beforeEach(() => {
  ledger = createLedgerBuilder();
  bot = ledger.addMachine('bot');
  recorded = [];
});
afterEach(() => {
  server?.closeAllConnections();
  server?.close();
});

const allow = (...ranges: string[]) =>
  ledger.must(ledger.admin, 'PUT', `/v1/users/${bot.id}`, { allowed_addresses: ranges });

async function open(trustedProxies: readonly string[] = []): Promise<void> {
  const { now } = ledger;
  const deps = {
    follower: {
      get state() {
        return ledger.state;
      },
      get view() {
        return { state: ledger.state, optimistic: ledger.state };
      },
      confirmedMsAgo: 0,
      fault: undefined,
    },
    nonces: { claim: async () => undefined },
    bodies: createBodyMemory(),
    ...appTraffic(() => now),
    sourceOf: createSourceOf(trustedProxies.length > 0),
    addressOf: createAddressOf(trustedProxies.length > 0),
    trustedProxies,
    refusals: {
      recordElsewhere: async (attempt: BarredAttempt, address: string) =>
        void recorded.push({ ...attempt, address }),
    },
    now: () => now,
    documents: new Map(),
    console: { files: new Map(), providers: [] },
    logger: { error: () => undefined },
  };
  server = createFastServer(createApp(deps as unknown as AppDeps));
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  baseUrl = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

const read = (headers: Record<string, string> = {}, path = '/v1/whoami') =>
  fetch(`${baseUrl}${path}`, { headers: { authorization: `ApiKey ${bot.apiKey}`, ...headers } });

function freeze(): Promise<Response> {
  const [method, path, body] = ['POST', '/v1/system/freeze', Buffer.from('{}')];
  const timestampMs = ledger.now;
  const nonce = randomBytes(8);
  const digest = digestOf({
    ...{ method, path, query: '', body, scheme: 'ApiKey', credential: bot.apiKey },
    ...{ timestampMs, nonce, assertion: Buffer.alloc(0) },
  });
  const timestamp = Buffer.alloc(8);
  timestamp.writeBigUInt64LE(BigInt(timestampMs));
  return fetch(`${baseUrl}${path}`, {
    method,
    body,
    headers: {
      authorization: `ApiKey ${bot.apiKey}`,
      'content-type': 'application/json',
      'x-request-nonce': nonce.toString('hex'),
      'x-request-timestamp': timestamp.toString('hex'),
      'x-request-assertion': sign(null, digest, bot.privateKey).toString('base64url'),
    },
  });
}

describe('an API key that may be used from some addresses', () => {
  it('reads from there, and from nowhere else', async () => {
    allow('127.0.0.0/8');
    await open();
    expect((await read()).status).toBe(200);
    allow('203.0.113.0/24');
    const refused = await read();
    expect(refused.status).toBe(403);
    expect(await refused.json()).toEqual(REFUSED);
    ledger.must(ledger.admin, 'PUT', `/v1/users/${bot.id}`, { allowed_addresses: null });
    expect((await read()).status).toBe(200);
  });

  it.each([
    ...['/v1/audit-logs/export', '/v1/system/operations/stream', '/v1/users', '/v1/requests'],
  ])('is refused at %s before anything is looked at', async (path) => {
    allow('203.0.113.0/24');
    await open();
    expect(await (await read({}, path)).json()).toEqual(REFUSED);
  });

  it('is refused what it signed, a freeze included, and that is on record', async () => {
    allow('203.0.113.0/24');
    await open();
    const refused = await freeze();
    expect(refused.status).toBe(403);
    expect(await refused.json()).toEqual(REFUSED);
    expect(recorded).toEqual([
      expect.objectContaining({
        actorId: bot.id,
        action: 'freeze-system',
        address: '127.0.0.1',
        requestId: refused.headers.get('x-request-id'),
      }),
    ]);
  });

  it('is not believed where it says that it comes from', async () => {
    allow(`${DESK}/32`);
    await open();
    const claims = { 'x-forwarded-for': DESK, forwarded: `for=${DESK}`, 'x-real-ip': DESK };
    expect((await read(claims)).status).toBe(403);
  });

  it('comes from where a trusted proxy says, by the entry that the proxy added', async () => {
    allow(`${DESK}/32`);
    await open([PROXY]);
    const from = async (addresses: string) => (await read({ 'x-forwarded-for': addresses })).status;
    expect(await from(DESK)).toBe(200);
    expect(await from(`198.51.100.1, ${DESK}`)).toBe(200);
    expect(await from(`${DESK}, 198.51.100.1`)).toBe(403);
    expect(await from('unknown')).toBe(403);
    // without the header the proxy itself is who asks
    expect((await read()).status).toBe(403);
  });
});
