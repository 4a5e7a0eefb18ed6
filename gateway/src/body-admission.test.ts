/** When a request's body is read, and how much memory bodies may take: real sockets, and the app without its stores. */
import { once } from 'node:events';
import type { Server } from 'node:http';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { connect, type AddressInfo, type Socket } from 'node:net';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { refuse } from '@countersign/core/errors.js';
import { appTraffic } from '../../test/support/app-traffic.ts';
import { createLedgerBuilder, type LedgerBuilder } from '../../test/support/ledger-builder.ts';
import { createBodyMemory, type BodyMemory } from './http/body-memory.js';
import { createFastServer } from './http/fast-server.js';
import { createApp, type AppDeps } from './create-app.js';

const KIB = 1024;
const MAX_BODY = 256 * KIB;
/** One address, of which nobody knows whose it is, gets half of its caller's. */
const LIMITS = { totalBytes: 4 * MAX_BODY, callerBytes: 4 * MAX_BODY };
const ADDRESS_BYTES = 2 * MAX_BODY;
const NONCE = '00'.repeat(8);
const USED = refuse('unauthorized', 'the nonce was used before');

let ledger: LedgerBuilder;
let bodies: BodyMemory;
/** The most that was held at any time. */
let most: number;
let server: Server;
let sockets: Socket[];

beforeEach(async () => {
  ledger = createLedgerBuilder();
  most = 0;
  bodies = watched(createBodyMemory(LIMITS));
  const deps = {
    follower: {
      get state() {
        return ledger.state;
      },
      confirmedMsAgo: 0,
      fault: undefined,
    },
    // whoever gets past the assertion gets no further
    nonces: { claim: async () => USED },
    bodies,
    ...appTraffic(() => ledger.now),
    now: () => ledger.now,
    documents: new Map(),
    console: { files: new Map(), providers: [] },
    logger: { error: () => undefined },
  };
  server = createFastServer(createApp(deps as unknown as AppDeps));
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  sockets = [];
});
afterEach(() => {
  for (const socket of sockets) socket.destroy();
  server.closeAllConnections();
  server.close();
});

function watched(memory: BodyMemory): BodyMemory {
  return {
    get heldBytes() {
      return memory.heldBytes;
    },
    open(holder) {
      const share = memory.open(holder);
      return {
        take(bytes) {
          share.take(bytes);
          most = Math.max(most, memory.heldBytes);
        },
        release: () => share.release(),
        holdFor: (work) => share.holdFor(work),
      };
    },
  };
}

/** Little-endian u64, hex. */
function timestampAt(ms: number): string {
  const bytes = Buffer.alloc(8);
  bytes.writeBigUInt64LE(BigInt(ms));
  return bytes.toString('hex');
}

interface Head {
  readonly apiKey?: string;
  readonly timestampMs?: number;
  readonly headers?: readonly string[];
}

/** As far as a caller gets with a stolen API key alone: the assertion is no signature of anything. */
function headOf({ apiKey = ledger.admin.apiKey, timestampMs = ledger.now, headers }: Head): string {
  return [
    'POST /v1/users HTTP/1.1',
    'host: vault',
    `authorization: ApiKey ${apiKey}`,
    `x-request-nonce: ${NONCE}`,
    `x-request-timestamp: ${timestampAt(timestampMs)}`,
    `x-request-assertion: ${'A'.repeat(86)}`,
    'content-type: application/json',
    ...(headers ?? [`content-length: ${MAX_BODY}`]),
    '\r\n',
  ].join('\r\n');
}

interface Conversation {
  readonly socket: Socket;
  /** All that has come so far. */
  text(): string;
  /** Until this much of an answer is there; fails when the connection ends before. */
  until(part: string): Promise<string>;
  readonly ended: Promise<unknown>;
}

async function open(...parts: (string | Buffer)[]): Promise<Conversation> {
  const socket = connect({ host: '127.0.0.1', port: (server.address() as AddressInfo).port });
  sockets.push(socket);
  socket.on('error', () => undefined);
  let received = '';
  socket.on('data', (chunk: Buffer) => (received += chunk.toString('latin1')));
  const ended = once(socket, 'close');
  await once(socket, 'connect');
  for (const part of parts) socket.write(part);
  return {
    socket,
    text: () => received,
    ended,
    async until(part) {
      while (!received.includes(part)) {
        if (socket.readableEnded || socket.destroyed) throw new Error(`ended with: ${received}`);
        await Promise.race([once(socket, 'data'), ended]);
      }
      return received;
    },
  };
}

const UNKNOWN = '00000000-0000-4000-8000-000000000000';
const CHUNKED = ['transfer-encoding: chunked'];

describe('a body is not read', () => {
  it.each<[string, Head]>([
    ['of a credential that nobody has', { apiKey: UNKNOWN }],
    ['of what is no credential', { apiKey: 'x' }],
    ['of a stale timestamp', { timestampMs: 0 }],
    ['in chunks of a credential that nobody has', { apiKey: UNKNOWN, headers: CHUNKED }],
  ])('%s: 401 before it has come, and the connection ends with it', async (_name, head) => {
    const asked = await open(headOf(head));
    const answer = await asked.until('err_msg');
    expect(answer).toContain('HTTP/1.1 401 ');
    expect(answer.toLowerCase()).toContain('connection: close');
    expect(asked.socket.readableEnded).toBe(false);
    // the rest is taken, so that nothing is reset before the answer was read, and leads to nothing
    const rest = head.headers === CHUNKED ? '1\r\nx\r\n0\r\n\r\n' : Buffer.alloc(MAX_BODY);
    asked.socket.write(rest);
    await asked.ended;
    expect(asked.text()).toBe(answer);
    expect(most).toBe(0);
  });

  it('by an announced length beyond the limit: 400', async () => {
    const asked = await open(headOf({ headers: [`content-length: ${MAX_BODY + 1}`] }));
    expect(await asked.until('err_msg')).toContain('HTTP/1.1 400 ');
    expect(most).toBe(0);
  });

  it('before the caller is known, also where the client waits to be asked for it', async () => {
    const headers = [`content-length: 2`, 'expect: 100-continue'];
    const unknown = await open(headOf({ apiKey: UNKNOWN, headers }));
    expect(await unknown.until('err_msg')).toMatch(/^HTTP\/1\.1 401 /);
    const known = await open(headOf({ headers }));
    await known.until('HTTP/1.1 100 ');
    known.socket.write('{}');
    expect(await known.until('err_msg')).toContain('what this server read');
  });

  it('but a request that came whole keeps its connection', async () => {
    const whole = headOf({ apiKey: UNKNOWN, headers: ['content-length: 2'] });
    const asked = await open(`${whole}{}${whole}{}`);
    while (asked.text().split('HTTP/1.1 401 ').length < 3) await once(asked.socket, 'data');
    expect(asked.text().toLowerCase()).not.toContain('connection: close');
  });
});

describe('the bodies of a caller who is known', () => {
  const part = Buffer.alloc(MAX_BODY - 1, ' ');

  /** Sends all but the end of a body, and waits until it is held. */
  async function fill(apiKey: string): Promise<Conversation> {
    const before = bodies.heldBytes;
    const asked = await open(headOf({ apiKey }), part);
    await untilHeld(before + MAX_BODY);
    return asked;
  }

  it('take their share of memory and no more, which leaves room for others', async () => {
    const one = ledger.admin;
    const [other, third] = ['other', 'third'].map((name) => ledger.addMachine(name));
    const filling = [await fill(one.apiKey), await fill(one.apiKey)];
    expect(bodies.heldBytes).toBe(ADDRESS_BYTES);
    const refused = await open(headOf({ apiKey: one.apiKey }), part);
    expectOverloaded(await refused.until('err_msg'));
    filling.push(await fill(other!.apiKey), await fill(other!.apiKey));
    expect(bodies.heldBytes).toBe(LIMITS.totalBytes);
    expectOverloaded(await (await open(headOf({ apiKey: third!.apiKey }), part)).until('err_msg'));
    // who has a place is not hurt by those who had none
    filling[0]!.socket.write(Buffer.alloc(MAX_BODY - part.length, ' '));
    expect(await filling[0]!.until('err_msg')).toContain(`body of ${MAX_BODY} bytes`);
    await fill(third!.apiKey);
    for (const { socket } of filling) socket.destroy();
    await untilHeld(MAX_BODY);
    expect(most).toBe(LIMITS.totalBytes);
  });

  it('stay within it when hundreds come at once', async () => {
    const asked = await Promise.all(
      Array.from({ length: 200 }, () => open(headOf({ headers: CHUNKED }), '40000\r\n', part)),
    );
    const answered = asked.map(async (one) => expectOverloaded(await one.until('err_msg')));
    await countOf(answered, asked.length - 2);
    expect(most).toBeLessThanOrEqual(ADDRESS_BYTES);
    for (const { socket } of asked) socket.destroy();
    await untilHeld(0);
    await Promise.allSettled(answered);
  });

  it('cost no more than their bytes where they come one by one', async () => {
    const asked = await open(headOf({ headers: CHUNKED }), '1\r\nx\r\n'.repeat(1_500));
    await untilHeld(2 * KIB);
    asked.socket.write('0\r\n\r\n');
    expect(await asked.until('err_msg')).toContain('body of 1500 bytes');
    expect(most).toBe(2 * KIB);
  });
});

function expectOverloaded(answer: string): void {
  expect(answer).toContain('HTTP/1.1 504 ');
  expect(answer).toMatch(/retry-after: 1\r\n/i);
  expect(answer).toContain('"err_type":"gateway_timeout"');
}

async function untilHeld(bytes: number): Promise<void> {
  while (bodies.heldBytes !== bytes) await nextTurn();
}

/** Once so many of them are fulfilled; rejects when too many are not. */
function countOf(promises: readonly Promise<unknown>[], count: number): Promise<void> {
  return new Promise((resolve, reject) => {
    let [good, bad] = [0, 0];
    const settle = () => {
      if (good === count) resolve();
      if (bad > promises.length - count) reject(new Error(`${bad} of them failed`));
    };
    for (const each of promises) {
      each.then(
        () => ((good += 1), settle()),
        () => ((bad += 1), settle()),
      );
    }
  });
}
