/** Streams of figures: real sockets, and everything behind them made up. */
import { once } from 'node:events';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { connect, type AddressInfo, type Socket } from 'node:net';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import type { Request, Response } from 'express';
import { EXAMPLE_FIGURES } from '../../../test/support/example-figures.ts';
import { appTraffic } from '../../../test/support/app-traffic.ts';
import { googleToken } from '../../../test/support/person.ts';
import { createLedgerBuilder, type LedgerBuilder } from '../../../test/support/ledger-builder.ts';
import {
  EMPTY_STATE,
  type MachineUser,
  type User,
  type VaultState,
} from '@countersign/vault/state/state.js';
import { insertRow, replaceRow } from '@countersign/vault/state/table.js';
import { createBodyMemory } from '../http/body-memory.js';
import type { RateLimits } from '../admission/rate-limits.js';
import { createStreamRoute, type StreamRouteDeps } from './stream-operations-route.js';

const LIMITS = {
  perCaller: 2,
  inAll: 3,
  everyMs: 5,
  heartbeatMs: 60_000,
  longestMs: 3_600_000,
  stalledMs: 20_000,
};
const PATH = '/v1/system/operations/stream';

let ledger: LedgerBuilder;
let limits: RateLimits;
let clock: number;
let isStopping: boolean;
let figures: () => Promise<unknown>;
let server: Server;
let port: number;
let sockets: Socket[];

beforeEach(async () => {
  ledger = createLedgerBuilder();
  clock = ledger.now;
  isStopping = false;
  figures = EXAMPLE_FIGURES.read;
  sockets = [];
  const traffic = appTraffic(() => clock);
  ({ limits } = traffic);
  const deps = {
    ...traffic,
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
    bodies: createBodyMemory(),
    refusals: { record: async () => undefined },
    tokens: { refuse: async () => undefined },
    figures: { read: () => figures() },
    isStopping: () => isStopping,
    now: () => clock,
  } as unknown as StreamRouteDeps;
  const route = createStreamRoute(deps, LIMITS);
  server = createServer((request, response) => {
    const given = Object.assign(request, { originalUrl: request.url });
    void route.handle(given as unknown as Request, response as unknown as Response);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  ({ port } = server.address() as AddressInfo);
});
afterEach(() => {
  for (const socket of sockets) socket.destroy();
  server.closeAllConnections();
  server.close();
});

interface Stream {
  readonly socket: Socket;
  readonly ended: Promise<unknown>;
  until(part: string, times?: number): Promise<string>;
}

function open(authorization: string, path = PATH): Stream {
  const socket = connect({ host: '127.0.0.1', port });
  sockets.push(socket);
  let text = '';
  const ended = once(socket, 'close');
  socket.setEncoding('utf8').on('data', (chunk: string) => (text += chunk));
  socket.on('error', () => undefined);
  socket.write(`GET ${path} HTTP/1.1\r\nhost: x\r\nauthorization: ${authorization}\r\n\r\n`);
  return {
    socket,
    ended,
    async until(part, times = 1) {
      while (text.split(part).length <= times) {
        if (socket.destroyed) throw new Error(`ended with: ${text}`);
        await Promise.race([once(socket, 'data'), ended]);
      }
      return text;
    },
  };
}

function putInForce(state: VaultState): void {
  ledger = { ...ledger, state, admin: ledger.admin } as unknown as LedgerBuilder;
}

function withUsers(users: readonly User[]): VaultState {
  return {
    ...ledger.state,
    users: users.reduce((table, user) => insertRow(table, user), EMPTY_STATE.users),
  };
}

function withAdmin(change: Partial<MachineUser>): VaultState {
  const { users } = ledger.state;
  const admin = users.rows.get(ledger.admin.id) as MachineUser;
  return { ...ledger.state, users: replaceRow(users, { ...admin, ...change }) };
}

const EVENT = 'event: operations\ndata: {"at":';
const END = '\r\n0\r\n\r\n';

describe('a stream of figures', () => {
  it('tells them again and again', async () => {
    const text = await open(`ApiKey ${ledger.admin.apiKey}`).until(EVENT, 3);
    expect(text).toContain('content-type: text/event-stream');
    expect(text).toContain('cache-control: no-store');
  });

  it('is for those who may look, and takes no parameters', async () => {
    const other = ledger.addMachine('other');
    expect(await open(`ApiKey ${other.apiKey}`).until('err_msg')).toContain('HTTP/1.1 403');
    expect(
      await open(`ApiKey ${ledger.admin.apiKey}`, `${PATH}?token=x`).until('err_msg'),
    ).toContain('HTTP/1.1 422');
  });

  it('is one of few, and gives its place back', async () => {
    const first = open(`ApiKey ${ledger.admin.apiKey}`);
    await first.until(EVENT);
    await open(`ApiKey ${ledger.admin.apiKey}`).until(EVENT);
    const refused = await open(`ApiKey ${ledger.admin.apiKey}`).until('err_msg');
    expect(refused).toContain('HTTP/1.1 504');
    expect(refused).toContain('retry-after: 30');
    first.socket.destroy();
    let answer = '';
    while (!answer.includes('200 OK')) {
      const again = open(`ApiKey ${ledger.admin.apiKey}`);
      answer = await Promise.race([again.until(EVENT), again.until('err_msg')]);
    }
  });

  it('has a place for its user where they have signed, whoever else took all with the API key', async () => {
    const thief = Array.from({ length: 2 }, () => open(`ApiKey ${ledger.admin.apiKey}`));
    for (const stream of thief) await stream.until(EVENT);
    limits.noteProven({ callerId: ledger.admin.id, source: '127.0.0.1', isBrake: false });
    await open(`ApiKey ${ledger.admin.apiKey}`).until(EVENT);
  });

  it.each<[string, () => VaultState]>([
    ['is frozen', () => withAdmin({ frozen: { at: clock, by: 'somebody', reason: null } })],
    ['reads with another API key', () => withAdmin({ apiKeySha256: '00' })],
    ['expires', () => withAdmin({ expiresAt: clock })],
    [
      'may not look any more',
      () => ({ ...ledger.state, adminPolicies: EMPTY_STATE.adminPolicies }),
    ],
    ['is gone', () => ({ ...ledger.state, users: EMPTY_STATE.users })],
  ])('ends when its user %s', async (_, change) => {
    const stream = open(`ApiKey ${ledger.admin.apiKey}`);
    await stream.until(EVENT);
    putInForce(change());
    await stream.until(END);
  });

  it('ends with the token that it was asked for with', async () => {
    const asPerson = {
      type: 'human',
      email: 'a@b.c',
      identity: JSON.stringify(['gcp', 'somebody']),
    };
    const person = { ...ledger.state.users.rows.get(ledger.admin.id)!, ...asPerson };
    putInForce(withUsers([person as User]));
    const lifeS = 60;
    const exp = Math.floor(clock / 1_000) + lifeS;
    const stream = open(`Bearer ${googleToken('somebody', { exp })}`);
    await stream.until(EVENT, 2);
    clock = exp * 1_000;
    await stream.until(END);
  });

  it('ends after an hour, and when the gateway stops', async () => {
    const old = open(`ApiKey ${ledger.admin.apiKey}`);
    await old.until(EVENT);
    clock += LIMITS.longestMs + 1;
    await old.until(END);
    const stopped = open(`ApiKey ${ledger.admin.apiKey}`);
    await stopped.until(EVENT);
    isStopping = true;
    await stopped.until(END);
  });

  it('goes on while nothing can be told, and says that it does', async () => {
    const stream = open(`ApiKey ${ledger.admin.apiKey}`);
    await stream.until(EVENT);
    figures = async () => {
      throw new Error('the database is away');
    };
    clock += LIMITS.heartbeatMs;
    await stream.until(': nothing new');
    figures = EXAMPLE_FIGURES.read;
    await stream.until(EVENT, 2);
  });

  it('keeps nothing for who takes nothing, and cuts them off', async () => {
    const long = 'x'.repeat(4 * 1024 * 1024);
    let told = 0;
    figures = async () => ((told += 1), long);
    const asked = once(server, 'request') as Promise<[IncomingMessage, ServerResponse]>;
    const stream = open(`ApiKey ${ledger.admin.apiKey}`);
    stream.socket.pause();
    while (told === 0) await new Promise((resolve) => setImmediate(resolve));
    const before = told;
    for (let turn = 0; turn < 2_000; turn++) await new Promise((resolve) => setImmediate(resolve));
    expect(told - before).toBeLessThan(4);
    // cut off while nothing is taken: who takes something again first is a reader as before
    const [, response] = await asked;
    const isCut = once(response, 'close');
    clock += LIMITS.stalledMs + 1;
    await isCut;
    stream.socket.resume();
    await stream.ended;
  });
});
