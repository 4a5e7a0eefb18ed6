/**
 * A store goes away under load, in every way in which stores go: whoever needs it is told 504, on every route,
 * and all is well when it is back.
 */
import { randomUUID } from 'node:crypto';
import { afterAll, afterEach, beforeAll, describe, expect, it, jest } from '@jest/globals';
import { SIGNING_OPERATIONS } from '@countersign/vault/operations/signing-operations.js';
import pg from 'pg';
import type { ClientResponse, RawClient } from '../../client/dist/calls/raw-client.js';
import { startGateway, waitHealthy } from '../../infra/dev/dist/stack/open-stack.js';
import type { VaultProcess } from '../../infra/dev/dist/stack/vault-process.js';
import { call } from '../support/api.ts';
import { query, shoot, startLoad, statusesOf, stopLoads } from '../support/signing-load.ts';
import { actOf, EVERY_OPERATION, type Act } from '../support/operation-inputs.ts';
import { openTestRedis } from '../support/restart-redis.ts';
import { openTcpProxy, type TcpProxy } from '../support/tcp-proxy.ts';
import { eventually, expectOk, openTestVault, PATIENT } from '../support/test-vault.ts';
import type { TestUser, TestVault, TestWallet } from '../support/test-vault.ts';

jest.setTimeout(180_000);

let vault: TestVault;
let postgres: TcpProxy;
let redis: TcpProxy;
/** A gateway that reaches its stores by way of the proxies. */
let gateway: VaultProcess;
let baseUrl: string;
/** May sign with the wallet. */
let bot: TestUser;
/** May do nothing: every request is refused, and that is recorded. */
let nobody: TestUser;
let wallet: TestWallet;
/** Requests whose records are read. */
let signedId: string;
let createdId: string;

beforeAll(async () => {
  vault = await openTestVault();
  bot = await vault.createMachine();
  nobody = await vault.createMachine();
  wallet = await vault.createWallet({ initiators: [bot.id] });
  const { roleUrls } = vault.prepared;
  postgres = await openTcpProxy(roleUrls.gateway);
  redis = await openTcpProxy(vault.servers.redis.url);
  const prepared = { ...vault.prepared, roleUrls: { ...roleUrls, gateway: postgres.url } };
  gateway = await startGateway({ ...vault.options, vault: prepared, redisUrl: redis.url }, 0);
  baseUrl = `http://127.0.0.1:${gateway.port}`;
  await waitHealthy(baseUrl);
  const shot = await shoot(baseUrl, bot, wallet, 30);
  signedId = shot.signed.requestId;
  const logs = await expectOk<{ results: { request_id: string }[] }>(
    vault.admin,
    'GET',
    '/v1/audit-logs?actions=create-user',
  );
  createdId = logs.results[0]!.request_id;
}, 120_000);

afterEach(async () => {
  await stopLoads();
  postgres.heal();
  redis.heal();
});

afterAll(async () => {
  await gateway?.stop();
  await postgres?.close();
  await redis?.close();
  await vault?.close();
}, 60_000);

const clientOf = ({ credential }: { credential: TestUser['credential'] }) =>
  vault.clientFor(credential, baseUrl);
const adminClient = () => clientOf({ credential: vault.adminCredential });

/** Requests that have to ask PostgreSQL whoever sends them, each with who sends it. */
function storeActs(): SentAct[] {
  const admin = adminClient();
  const signer = clientOf(bot);
  const rawSign = {
    method: 'POST',
    target: `${wallet.path}/raw-sign`,
    body: { message: Buffer.from('away').toString('base64') },
    client: signer,
  };
  const key = () => ({ 'idempotency-key': randomUUID() });
  const create = (body: object) => ({ method: 'POST', body, client: admin });
  const named = () => ({ display_name: `made ${randomUUID()}` });
  const machine = EVERY_OPERATION.find(({ id }) => id === 'create-user')!;
  return [
    { ...rawSign, id: 'a signature with an idempotency key', headers: key() },
    { ...rawSign, id: 'a signature that is not waited for', headers: { prefer: 'respond-async' } },
    {
      ...create(named()),
      id: 'a vault with an idempotency key',
      target: '/v1/vaults',
      headers: key(),
    },
    {
      ...create({ ...(actOf(machine).body as object), ...named() }),
      id: 'a secret',
      target: '/v1/users',
    },
    { id: 'a signature', method: 'GET', target: `/v1/requests/${signedId}`, client: signer },
    { id: 'a shown secret', method: 'GET', target: `/v1/requests/${createdId}`, client: admin },
    { id: 'the audit log', method: 'GET', target: '/v1/audit-logs', client: admin },
    { id: 'its export', method: 'GET', target: '/v1/audit-logs/export', client: admin },
    {
      id: 'its export as a table',
      method: 'GET',
      target: '/v1/audit-logs/export?format=csv',
      client: admin,
    },
  ];
}

type Told = readonly [id: string, status: number, text: string];

const toldOf = (id: string, { status, text }: ClientResponse): Told => [id, status, text];

type SentAct = Act & { readonly client: RawClient; readonly headers?: object };

async function askAll(acts: readonly SentAct[], atOnce: number): Promise<Told[]> {
  const told: Told[] = [];
  for (let at = 0; at < acts.length; at += atOnce) {
    const answers = acts
      .slice(at, at + atOnce)
      .map(async ({ id, client, method, target, body, headers }) =>
        toldOf(id, await call(client, method, target, body, { ...headers })),
      );
    told.push(...(await Promise.all(answers)));
  }
  return told;
}

/** Every operation there is, by somebody who may do nothing. */
function everyAct(): SentAct[] {
  const client = clientOf(nobody);
  return EVERY_OPERATION.map((operation) => ({ ...actOf(operation), client }));
}

/** The second where the ledger has not been read for too long to answer from memory. */
const AWAY =
  /^\{"err_type":"gateway_timeout","err_msg":"(?:a store|the ledger) cannot be reached"\}$/;
const isAway = ([, status, text]: Told) => status === 504 && AWAY.test(text);

/** Until the gateway has both stores again, and signs. */
function untilWell(): Promise<unknown> {
  return eventually(async () => {
    const { status } = await fetch(`${baseUrl}/health`);
    return status === 200 && (await shoot(baseUrl, bot, wallet, 30)).status === 200;
  }, 60_000);
}

interface Outage {
  begin(): Promise<unknown> | void;
  end(): Promise<unknown> | void;
}

/** What is told while `outage` lasts, on routes and to callers who sign all the while. */
async function toldDuring(
  outage: Outage,
  acts: readonly SentAct[],
  atOnce = acts.length,
): Promise<Told[]> {
  await untilWell();
  const load = startLoad(() => baseUrl, bot, wallet, { callers: 4, waitS: 30 });
  await load.untilSigned(8);
  await outage.begin();
  const told = await askAll(acts, atOnce).finally(() => outage.end());
  const shots = await load.stop();
  for (const status of statusesOf(shots)) expect([200, 202, 504]).toContain(status);
  expect(told.filter(([, status]) => status === 500)).toEqual([]);
  await untilWell();
  expect(gateway.output()).not.toContain('internal_server_error');
  return told;
}

describe('PostgreSQL', () => {
  /** A session of the owner that holds what `begin` took. */
  let locker: pg.Client | undefined;
  const database = () => new URL(vault.servers.ownerUrl).pathname.slice(1);
  const limitConnections = (limit: number) =>
    query(vault.servers.ownerUrl, `ALTER DATABASE ${database()} CONNECTION LIMIT ${limit}`);

  const outages: [string, Outage][] = [
    ['breaks every connection', { begin: () => postgres.refuse(), end: () => postgres.heal() }],
    ['answers nothing', { begin: () => postgres.silence(), end: () => postgres.heal() }],
    [
      'ends every session and takes no new one',
      {
        async begin() {
          await limitConnections(0);
          await query(
            vault.servers.ownerUrl,
            `SELECT pg_terminate_backend(pid) FROM pg_stat_activity
             WHERE datname = $1 AND usename = 'countersign_gateway'`,
            [database()],
          );
        },
        end: () => limitConnections(-1),
      },
    ],
    [
      'comes to the end of no statement',
      {
        async begin() {
          locker = new pg.Client({ connectionString: vault.servers.ownerUrl });
          await locker.connect();
          await locker.query('BEGIN');
          await locker.query(
            `LOCK TABLE idempotency_key, signing_request, request_result, secret_reveal, refused_request
             IN ACCESS EXCLUSIVE MODE`,
          );
        },
        async end() {
          await locker?.end();
          locker = undefined;
        },
      },
    ],
  ];

  /** Fewer than the gateway has connections: each must come to its own question, not wait for a connection. */
  const ACTS_AT_ONCE = 5;
  /** They ask for nothing that is not in memory. */
  const FROM_MEMORY = ['whoami', 'get-import-recipients', 'list-requests'];

  describe.each(outages)('that %s', (_case, outage) => {
    it('is told as 504 by whatever needs it', async () => {
      const told = await toldDuring(outage, storeActs(), ACTS_AT_ONCE);
      expect(told.filter((row) => !isAway(row))).toEqual([]);
      expect(told).toHaveLength(storeActs().length);
    });

    it('is told as 504 on every route that has to record a refusal', async () => {
      const told = await toldDuring(outage, everyAct());
      const needing = told.filter(([id]) => !FROM_MEMORY.includes(id));
      expect(needing.filter((row) => !isAway(row))).toEqual([]);
      expect(needing).toHaveLength(EVERY_OPERATION.length - FROM_MEMORY.length);
    });
  });
});

it('requests that hold every connection keep nobody from freezing', async () => {
  await untilWell();
  const locker = new pg.Client({ connectionString: vault.servers.ownerUrl });
  await locker.connect();
  await locker.query('BEGIN');
  await locker.query('LOCK TABLE signing_request IN ACCESS EXCLUSIVE MODE');
  let answered = 0;
  const asking = Array.from({ length: 40 }, () =>
    clientOf(bot)
      .get(`/v1/requests/${signedId}`)
      .finally(() => (answered += 1)),
  );
  const change = (what: string) =>
    call(adminClient(), 'POST', `/v1/users/${what}?user_ids=${nobody.id}`, undefined, {
      'idempotency-key': randomUUID(),
    });
  const frozen = await change('freeze');
  const answeredBefore = answered;
  await locker.end();
  await Promise.all(asking);
  await untilWell();
  expect(await change('unfreeze')).toMatchObject({ status: 200 });
  expect(frozen).toMatchObject({ status: 200 });
  expect(answeredBefore).toBe(0);
});

it('a request that was answered 504 when the parties had it comes to one end, and that is what all say of it', async () => {
  await untilWell();
  const locker = new pg.Client({ connectionString: vault.servers.ownerUrl });
  await locker.connect();
  await locker.query('BEGIN');
  await locker.query('LOCK TABLE signing_request IN ACCESS EXCLUSIVE MODE');
  const shots = await Promise.all(Array.from({ length: 4 }, () => shoot(baseUrl, bot, wallet, 0)));
  await locker.end();
  expect(statusesOf(shots)).toEqual([504]);
  for (const { signed } of shots) {
    const target = `/v1/requests/${signed.requestId}`;
    await eventually(async () => (await clientOf(bot).get(target)).text.includes('"completed"'));
    const logs = await expectOk<{ results: { outcome: string }[] }>(
      vault.admin,
      'GET',
      `/v1/audit-logs?request_id=${signed.requestId}`,
    );
    expect(logs.results.map(({ outcome }) => outcome)).toEqual(['allowed']);
  }
});

describe('Redis', () => {
  const admin = () => openTestRedis(vault.servers.redis.url);
  const outages: [string, Outage][] = [
    ['answers nothing', { begin: () => redis.silence(), end: () => redis.heal() }],
    [
      'has become a replica',
      {
        async begin() {
          const client = admin();
          await client.replicaof('127.0.0.1', 1);
          client.disconnect();
        },
        async end() {
          const client = admin();
          await client.replicaof('NO', 'ONE');
          client.disconnect();
        },
      },
    ],
    // a Redis that goes and comes back under load: test/crash.test.ts
    ['breaks every connection', { begin: () => redis.refuse(), end: () => redis.heal() }],
  ];

  it.each(outages)(
    'that %s is told as 504 where a nonce must be claimed',
    async (_case, outage) => {
      const told = await toldDuring(outage, everyAct());
      // what only changes the ledger goes on: freezing must always work
      const claiming = [
        ...SIGNING_OPERATIONS.map(({ id }) => id),
        'evaluate-signing-policies',
        'backtest-signing-policies',
        'resend-webhook-events',
      ];
      const [needing, others] = [true, false].map((isNeeding) =>
        told.filter(([id]) => claiming.includes(id) === isNeeding),
      );
      expect(needing!.filter((row) => !isAway(row))).toEqual([]);
      expect(needing).toHaveLength(claiming.length);
      for (const [id, status] of others!) {
        expect([id, [200, 403, 404].includes(status)]).toEqual([id, true]);
      }
      const still = await expectOk<{ id: string }>(
        vault.admin,
        'GET',
        '/v1/whoami',
        undefined,
        PATIENT,
      );
      expect(still.id).toBe(vault.adminId);
    },
  );
});
