/** Floods before anybody is known: real sockets, and the app without its stores. */
import { generateKeyPairSync, randomBytes, sign } from 'node:crypto';
import { once } from 'node:events';
import type { Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { refuse } from '@countersign/core/errors.js';
import { createLedgerBuilder, type LedgerBuilder } from '../../test/support/ledger-builder.ts';
import { appTraffic } from '../../test/support/app-traffic.ts';
import { createBodyMemory } from './http/body-memory.js';
import { createFastServer } from './http/fast-server.js';
import { createRateLimits } from './admission/rate-limits.js';
import { createSourceOf } from './admission/request-source.js';
import { createApp, type AppDeps } from './create-app.js';

const RATES = { perAddress: 1_000, perCredential: 30, failuresPerAddress: 2 };
/** What is let through at once. */
const BURST = { failures: 20, credential: 60, brake: 40 };
const USED = refuse('unauthorized', 'the nonce was used before');
const PROXY = '127.0.0.1';

let ledger: LedgerBuilder;
let checkedTokens: number;
let server: Server;
let baseUrl: string;

async function open(trustedProxies: readonly string[], rates = RATES): Promise<void> {
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
    // whoever gets past the assertion gets no further
    nonces: { claim: async () => USED },
    tokens: {
      async refuse() {
        checkedTokens += 1;
        return refuse('unauthorized', 'no');
      },
    },
    bodies: createBodyMemory(),
    ...appTraffic(),
    limits: createRateLimits(rates, () => ledger.now),
    sourceOf: createSourceOf(trustedProxies.length > 0),
    trustedProxies,
    now: () => ledger.now,
    documents: new Map(),
    console: { files: new Map(), providers: [] },
    logger: { error: () => undefined },
  };
  server = createFastServer(createApp(deps as unknown as AppDeps));
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  baseUrl = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

beforeEach(() => {
  ledger = createLedgerBuilder();
  checkedTokens = 0;
});
afterEach(() => {
  server.closeAllConnections();
  server.close();
});

interface Asking {
  readonly authorization: string;
  readonly from?: string;
  readonly path?: string;
}

/** With an assertion that is no signature of anything. */
async function ask({ authorization, from, path = '/v1/users' }: Asking): Promise<Response> {
  const timestamp = Buffer.alloc(8);
  timestamp.writeBigUInt64LE(BigInt(ledger.now));
  return fetch(`${baseUrl}${path}`, {
    method: 'POST',
    body: '{}',
    headers: {
      authorization,
      'content-type': 'application/json',
      'x-request-nonce': randomBytes(8).toString('hex'),
      'x-request-timestamp': timestamp.toString('hex'),
      'x-request-assertion': 'A'.repeat(86),
      ...(from !== undefined && { 'x-forwarded-for': from }),
    },
  });
}

async function statuses(count: number, asking: (index: number) => Asking): Promise<number[]> {
  const answers = [];
  for (let index = 0; index < count; index++) answers.push((await ask(asking(index))).status);
  return answers;
}

const countOf = (status: number, all: readonly number[]) =>
  all.filter((one) => one === status).length;

/** By nobody of this vault's. */
function strangersToken(): string {
  const { privateKey } = generateKeyPairSync('ed25519');
  const part = (value: unknown) => Buffer.from(JSON.stringify(value)).toString('base64url');
  const text = `${part({ alg: 'RS256', kid: 'a' })}.${part({ iss: 'https://accounts.google.com', sub: 'nobody' })}`;
  return `Bearer ${text}.${sign(null, Buffer.from(text), privateKey).toString('base64url')}`;
}

describe('a flood', () => {
  it('of API keys that nobody has is told so, at the cost of a hash', async () => {
    await open([]);
    const authorization = 'ApiKey 00000000-0000-4000-8000-000000000000';
    expect(countOf(401, await statuses(60, () => ({ authorization })))).toBe(60);
  });

  it('of tokens that nobody gave costs so many checks, and then none', async () => {
    await open([PROXY]);
    const authorization = strangersToken();
    const one = await statuses(50, () => ({ authorization, from: '192.0.2.1' }));
    expect([countOf(401, one), countOf(504, one)]).toEqual([BURST.failures, 50 - BURST.failures]);
    const many = await statuses(50, (index) => ({ authorization, from: `2001:db8:${index}::1` }));
    expect(countOf(401, many)).toBe(BURST.brake - BURST.failures);
    expect(checkedTokens).toBe(BURST.brake);
  });

  it('of wrong assertions with a stolen API key ends in 504, and hurts its owner elsewhere in nothing', async () => {
    await open([PROXY]);
    const authorization = `ApiKey ${ledger.admin.apiKey}`;
    const thief = await statuses(30, () => ({ authorization, from: '192.0.2.1' }));
    expect([countOf(401, thief), countOf(504, thief)]).toEqual([20, 10]);
    expect(await statuses(1, () => ({ authorization, from: '192.0.2.2' }))).toEqual([401]);
  });

  it('from one network of many addresses is one', async () => {
    await open([PROXY]);
    const authorization = `ApiKey ${ledger.admin.apiKey}`;
    const from = (index: number) => `2001:db8:1:2::${index.toString(16)}`;
    const all = await statuses(30, (index) => ({ authorization, from: from(index) }));
    expect(countOf(504, all)).toBe(10);
  });

  it('is one, whatever it says of itself, where no proxy is trusted', async () => {
    await open([]);
    const authorization = `ApiKey ${ledger.admin.apiKey}`;
    const all = await statuses(30, (index) => ({ authorization, from: `192.0.2.${index}` }));
    expect(countOf(504, all)).toBe(10);
  });
});

describe('who is refused for asking too often', () => {
  it('is told after how long to come again, in the words of the contract', async () => {
    await open([], { ...RATES, perAddress: 1 });
    await statuses(2, () => ({ authorization: 'x' }));
    const answer = await ask({ authorization: 'x' });
    expect(answer.status).toBe(504);
    expect(answer.headers.get('retry-after')).toBe('1');
    expect(answer.headers.get('x-request-id')).toMatch(/^[0-9a-f-]{36}$/);
    expect(await answer.json()).toEqual({
      err_type: 'gateway_timeout',
      err_msg: 'too many requests from your address',
    });
    expect((await fetch(`${baseUrl}/health/live`)).status).toBe(504);
    ledger.now += 2_000;
    expect((await ask({ authorization: 'x' })).status).toBe(401);
  });

  it('still comes through with a freeze', async () => {
    await open([], { ...RATES, perAddress: 1 });
    const authorization = `ApiKey ${ledger.admin.apiKey}`;
    const flood = await statuses(60, () => ({ authorization }));
    expect(countOf(504, flood)).toBe(58);
    const freeze = await ask({ authorization, path: '/v1/system/freeze' });
    expect(await freeze.text()).toContain('what this server read');
  });
});
