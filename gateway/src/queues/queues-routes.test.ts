/** Who sees the page of the queues, and that nothing can be done there: real sockets, and everything behind them made up. */
import { once } from 'node:events';
import { request, type IncomingHttpHeaders, type IncomingMessage, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { createBullBoard } from '@bull-board/api';
import type { AppControllerRoute, IServerAdapter } from '@bull-board/api/dist/types.js';
import { appTraffic } from '../../../test/support/app-traffic.ts';
import { createLedgerBuilder, type LedgerBuilder } from '../../../test/support/ledger-builder.ts';
import { googleToken } from '../../../test/support/person.ts';
import {
  EMPTY_STATE,
  type MachineUser,
  type User,
  type VaultState,
} from '@countersign/vault/state/state.js';
import { insertRow, replaceRow } from '@countersign/vault/state/table.js';
import { createApp, type AppDeps } from '../create-app.js';
import { createBodyMemory } from '../http/body-memory.js';
import { createFastServer } from '../http/fast-server.js';
import { BOARD_HEADERS } from './board-page.js';
import { createQueueSessions } from './queue-session.js';
import type { ViewedQueue } from './queue-view.js';

const SESSION = '/v1/system/queues/session';
const NAME = 'countersign.key-generation';
const SECRET = 'what the job holds';

let ledger: LedgerBuilder;
let state: VaultState;
let optimistic: VaultState | undefined;
let clock: number;
let confirmedAt: number;
let redisIsAway: boolean;
/** What was asked of the queue, beside its counts. */
let asked: string[];
let server: Server;

beforeAll(async () => {
  ledger = createLedgerBuilder();
  clock = ledger.now;
  const deps = {
    ...appTraffic(() => clock),
    documents: new Map(),
    console: { files: new Map(), providers: [] },
    follower: {
      get state() {
        return state;
      },
      get view() {
        return { state, optimistic: optimistic ?? state };
      },
      get confirmedMsAgo() {
        return clock - confirmedAt;
      },
      fault: undefined,
    },
    bodies: createBodyMemory(),
    refusals: { record: async () => undefined },
    tokens: { refuse: async () => undefined },
    viewedQueues: { list: () => [aQueue()] },
    trustedKeys: ledger.keys,
    logger: { error: () => undefined },
    now: () => clock,
  };
  server = createFastServer(createApp(deps as unknown as AppDeps)).listen(0, '127.0.0.1');
  await once(server, 'listening');
});
afterAll(() => {
  server?.closeAllConnections();
  server?.close();
});

beforeEach(() => {
  ({ state } = ledger);
  optimistic = undefined;
  clock += 60_000; // whatever was looked at before does not count any more
  confirmedAt = clock;
  redisIsAway = false;
  asked = [];
});

/** With one job, of which every field is there. Whatever it is asked for beside this is noted. */
function aQueue(): ViewedQueue {
  const job = new Map([
    ...['name', 'data', 'opts', 'returnvalue', 'failedReason', 'stacktrace', 'progress'].map(
      (field) => [field, SECRET] as const,
    ),
    ['timestamp', String(clock)],
  ]);
  const known = {
    name: NAME,
    qualifiedName: `bull:${NAME}`,
    toKey: (id: string) => `bull:${NAME}:${id}`,
    async getJobCounts() {
      if (redisIsAway) throw new Error('Connection is closed.');
      return { waiting: 7 };
    },
    getRanges: async () => ['one'],
    getJobState: async () => 'waiting',
    getMetrics: async () => ({ meta: { count: 0, prevTS: 0, prevCount: 0 }, data: [], count: 0 }),
    isPaused: async () => false,
  };
  const queue = new Proxy(known, {
    get(target, name) {
      if (name in target) return target[name as keyof typeof target];
      asked.push(String(name));
      return undefined;
    },
  });
  const redis = {
    hmget: async (_key: string, ...fields: string[]) => fields.map((one) => job.get(one) ?? null),
    hexists: async (_key: string, field: string) => Number(job.has(field)),
  };
  return { queue, redis, hasJobs: true } as unknown as ViewedQueue;
}

interface Answer {
  readonly status: number | undefined;
  readonly headers: IncomingHttpHeaders;
  readonly body: string;
}

/** `path` as it is sent: nothing is normalised on its way. */
async function send(
  path: string,
  { method = 'GET', headers = {} }: { method?: string; headers?: Record<string, string> } = {},
): Promise<Answer> {
  const { port } = server.address() as AddressInfo;
  const sent = request({ host: '127.0.0.1', port, path, method, headers, agent: false }).end();
  const [response] = (await once(sent, 'response')) as [IncomingMessage];
  return { status: response.statusCode, headers: response.headers, body: await text(response) };
}

async function openSession(authorization = `ApiKey ${ledger.admin.apiKey}`): Promise<string> {
  const { status, headers } = await send(SESSION, { headers: { authorization } });
  expect(status).toBe(200);
  return headers['set-cookie']![0]!.split(';')[0]!;
}

const look = (cookie: string, path = '/queues/api/queues') => send(path, { headers: { cookie } });

function withAdmin(change: Partial<MachineUser>): VaultState {
  const { users } = ledger.state;
  const admin = users.rows.get(ledger.admin.id) as MachineUser;
  return { ...ledger.state, users: replaceRow(users, { ...admin, ...change }) };
}

/** All that bull-board would have a server route. */
function routesOfBullBoard(): readonly AppControllerRoute[] {
  let routes: readonly AppControllerRoute[] = [];
  const ignored = () => serverAdapter;
  const serverAdapter: IServerAdapter = {
    setQueues: ignored,
    setViewsPath: ignored,
    setStaticPath: ignored,
    setEntryRoute: ignored,
    setErrorHandler: ignored,
    setUIConfig: ignored,
    setApiRoutes(given) {
      routes = given;
      return serverAdapter;
    },
  };
  createBullBoard({ queues: [], serverAdapter, options: { uiBasePath: '.' } });
  return routes;
}

const PARAMETERS: Readonly<Record<string, string>> = {
  queueName: NAME,
  jobId: 'one',
  queueStatus: 'failed',
  schedulerId: 'one',
};

const ROUTES = routesOfBullBoard().flatMap(({ method, route }) =>
  [method].flat().flatMap((verb) =>
    [route].flat().map((path) => ({
      verb: verb.toUpperCase(),
      path: `/queues${path.replaceAll(/:(\w+)/g, (_, name: string) => PARAMETERS[name]!)}`,
      like: new RegExp(`^/queues${path.replaceAll(/:\w+/g, '[^/]+')}$`),
    })),
  ),
);
const CHANGES = ROUTES.filter(({ verb }) => verb !== 'GET');
const READS = ROUTES.filter(({ verb }) => verb === 'GET');

describe('a session', () => {
  it('is opened by a credential, for ten minutes and the page alone', async () => {
    const authorization = `ApiKey ${ledger.admin.apiKey}`;
    const { headers, body } = await send(SESSION, { headers: { authorization } });
    expect(headers['set-cookie']).toEqual([
      expect.stringMatching(/; Path=\/queues; Max-Age=600; HttpOnly; Secure; SameSite=Strict$/),
    ]);
    expect(headers['cache-control']).toBe('no-store');
    expect(JSON.parse(body)).toEqual({
      path: '/queues/',
      ends_at: new Date(clock + 600_000).toISOString(),
    });
  });

  it('is opened by nobody without one, nor by a cookie, nor by who may not look', async () => {
    const other = ledger.addMachine('other');
    ({ state } = ledger);
    const cookie = await openSession();
    const refused = async (headers: Record<string, string>) => {
      const answer = await send(SESSION, { headers });
      expect(answer.headers['set-cookie']).toBeUndefined();
      return answer.status;
    };
    expect(await refused({})).toBe(401);
    expect(await refused({ cookie })).toBe(401);
    expect(await refused({ authorization: `ApiKey ${other.apiKey}` })).toBe(403);
  });

  it('lasts no longer than the token that it was opened with', async () => {
    const identity = JSON.stringify(['gcp', 'somebody']);
    const person = {
      ...state.users.rows.get(ledger.admin.id)!,
      ...{ type: 'human', email: 'a@b.c', identity },
    } as User;
    state = { ...state, users: insertRow(EMPTY_STATE.users, person) };
    const exp = Math.floor(clock / 1_000) + 60;
    const cookie = await openSession(`Bearer ${googleToken('somebody', { exp })}`);
    expect((await look(cookie)).status).toBe(200);
    clock = exp * 1_000;
    confirmedAt = clock;
    expect((await look(cookie)).status).toBe(401);
  });

  it('is no credential anywhere else', async () => {
    const cookie = await openSession();
    for (const path of ['/v1/whoami', '/v1/users', '/v1/system/operations']) {
      expect((await look(cookie, path)).status).toBe(401);
    }
  });
});

describe('the page of the queues', () => {
  it.each(['/queues/', '/queues/api/queues', '/queues/static/favicon-32x32.png', '/queues/x'])(
    '%s is for nobody without a session',
    async (path) => {
      const { status, headers } = await send(path);
      expect(status).toBe(401);
      expect(headers).toMatchObject(BOARD_HEADERS);
    },
  );

  it('is for nobody whose session is over, or was changed', async () => {
    const cookie = await openSession();
    expect((await look(cookie)).status).toBe(200);
    const changed = cookie.slice(0, -2) + (cookie.endsWith('AA') ? 'BB' : 'AA');
    expect((await look(changed)).status).toBe(401);
    clock += 600_000;
    confirmedAt = clock;
    expect((await look(cookie)).status).toBe(401);
  });

  it.each<[string, number, () => VaultState]>([
    ['is frozen', 401, () => withAdmin({ frozen: { at: clock, by: 'somebody', reason: null } })],
    ['has another API key', 401, () => withAdmin({ apiKeySha256: '00' })],
    ['has expired', 401, () => withAdmin({ expiresAt: clock })],
    ['is gone', 401, () => ({ ...ledger.state, users: EMPTY_STATE.users })],
    [
      'may not look any more',
      403,
      () => ({ ...ledger.state, adminPolicies: EMPTY_STATE.adminPolicies }),
    ],
  ])('is closed at once to somebody who %s', async (_, expected, change) => {
    const cookie = await openSession();
    expect((await look(cookie, '/queues/')).status).toBe(200);
    state = change();
    for (const path of ['/queues/', '/queues/api/queues']) {
      expect((await look(cookie, path)).status).toBe(expected);
    }
  });

  it('is closed by a freeze that two parties have still to sign', async () => {
    const cookie = await openSession();
    optimistic = withAdmin({ frozen: { at: clock, by: 'somebody', reason: null } });
    expect((await look(cookie)).status).toBe(401);
  });

  it('is one user’s: what becomes of another does not matter', async () => {
    const other = ledger.addMachine('other');
    ({ state } = ledger);
    const cookie = await openSession();
    const mine = createQueueSessions(ledger.keys, () => clock).open(cookie)!;
    const { users } = state;
    const row = users.rows.get(other.id) as MachineUser;
    const frozen = { at: clock, by: 'somebody', reason: null };
    state = { ...state, users: replaceRow(users, { ...row, frozen }) };
    expect((await look(cookie)).status).toBe(200);
    const { seal } = createQueueSessions(ledger.keys, () => clock);
    const theirs = seal({ ...mine, userId: other.id }).split(';')[0]!;
    expect((await look(theirs)).status).toBe(401);
  });

  it('is closed while nobody knows who was frozen since', async () => {
    const cookie = await openSession();
    clock += 10_001;
    expect((await look(cookie)).status).toBe(504);
  });

  it('says that it cannot tell while Redis is away', async () => {
    const cookie = await openSession();
    redisIsAway = true;
    const { status, body } = await look(cookie);
    expect([status, body]).toEqual([504, expect.stringContaining('the queues cannot be read now')]);
  });

  it('is looked at so often and no more, by one user', async () => {
    const cookie = await openSession();
    const statuses = [];
    for (let times = 0; times < 60; times += 1) statuses.push((await look(cookie)).status);
    expect([...new Set(statuses)]).toEqual([200, 504]);
    clock += 1_000;
    expect((await look(cookie)).status).toBe(200);
  });

  it('is led to from its name without a slash', async () => {
    expect(await send('/queues')).toMatchObject({ status: 308, headers: { location: '/queues/' } });
  });
});

describe('what the page may do', () => {
  it('is said in the headers of every answer', async () => {
    const cookie = await openSession();
    for (const path of [
      '/queues/',
      '/queues/api/queues',
      '/queues/absent',
      `/queues/queue/${NAME}`,
    ]) {
      expect((await look(cookie, path)).headers).toMatchObject(BOARD_HEADERS);
    }
  });

  it('is little: no script but from here, no frame, no window, no passkey', () => {
    const policy = BOARD_HEADERS['content-security-policy']!;
    expect(policy).toContain("default-src 'none'; script-src 'self'; style-src 'self';");
    expect(policy).not.toMatch(/unsafe|\*|https?:|blob:|allow-(popups|forms|modals|top|downloads)/);
    expect(policy).toContain("frame-ancestors 'none'");
    expect(BOARD_HEADERS['permissions-policy']).toContain('publickey-credentials-get=()');
  });

  it('needs nothing from elsewhere, and no script or style that stands in it', async () => {
    const { body } = await look(await openSession(), '/queues/');
    expect(body).not.toMatch(/https?:|style=|<style|\son\w+=/);
    const scripts = [...body.matchAll(/<script([^>]*)>([^<]*)/g)];
    const inline = scripts.filter(([, attributes]) => !attributes!.includes('src='));
    expect(inline.map(([, attributes]) => attributes)).toEqual([
      ' id="__UI_CONFIG__" type="application/json"',
    ]);
    expect(JSON.parse(inline[0]![2]!)).toMatchObject({
      hideRedisDetails: true,
      showWorkers: false,
    });
    const cookie = await openSession();
    for (const [, name] of body.matchAll(/(?:src|href)="(static\/[^"]+)"/g)) {
      expect((await look(cookie, `/queues/${name}`)).status).toBe(200);
    }
  });

  it.each([
    '/queues/static/../index.ejs',
    '/queues/index.ejs',
    '/queues/index.html',
    '/queues/static/js/absent.js',
    '/queues/%2e%2e/package.json',
    '/queues/package.json',
    '/queues/static/js/lib-react.c037d5f57a.js.LICENSE.txt',
    '/queuesx',
  ])('does not reach %s', async (path) => {
    expect([400, 404]).toContain((await look(await openSession(), path)).status);
  });
});

describe('what can be done to the queues', () => {
  it('is nothing that bull-board knows: it has two dozen changes', () => {
    expect(CHANGES.length).toBeGreaterThanOrEqual(20);
  });

  it.each(CHANGES)('is not $verb $path', async ({ verb, path }) => {
    const cookie = await openSession();
    const headers = { cookie, 'content-type': 'application/json' };
    for (const method of [verb, 'POST', 'PUT', 'PATCH', 'DELETE']) {
      expect((await send(path, { method, headers })).status).toBe(404);
    }
    const isRead = READS.some(({ like }) => like.test(path)); // `pause` may be the id of a job
    expect((await send(path, { headers })).status).toBe(isRead ? 200 : 404);
    expect(asked).toEqual([]);
  });

  it.each(READS)('and $path tells no payload', async ({ path }) => {
    const cookie = await openSession();
    for (const query of ['', `?activeQueue=${NAME}`, `?activeQueue=${NAME}&status=waiting`]) {
      const { status, body } = await look(cookie, `${path}${query}`);
      expect([200, 403]).toContain(status);
      expect(body).not.toContain(SECRET);
    }
    expect(asked).toEqual([]);
  });

  it('shows a job by its times alone', async () => {
    const { body } = await look(await openSession(), `/queues/api/queues/${NAME}/one`);
    expect(JSON.parse(body)).toMatchObject({
      status: 'waiting',
      job: { id: 'one', name: 'unknown', timestamp: clock, data: 'not shown', opts: {} },
    });
  });
});
