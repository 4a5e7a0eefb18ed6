/** What one database role can cost the others: nobody keeps them from appending, and rows and pages are bounded. */
import { randomBytes } from 'node:crypto';
import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import { entryHash } from '@countersign/core/entry-hash.js';
import { GENESIS_PREV_HASH, type EntryRow } from '@countersign/vault/ledger/entry.js';
import { createLedgerStore, type LedgerStore } from '@countersign/runtime/ledger/ledger-store.js';
import { createLogger } from '@countersign/runtime/process/logger.js';
import { openPool } from '@countersign/runtime/process/postgres-pool.js';
import pg from 'pg';
import type { RoleName } from '../infra/admin/dist/database/role-logins.js';
import { query } from './support/signing-load.ts';
import { openTestServers, TEMPLATES, type TestServers } from './support/test-servers.ts';
import { someOf } from './support/drills.ts';

const ROLES: readonly RoleName[] = ['gateway', 'party_1', 'party_2', 'party_3', 'auditor'];
const MAX_BODY = 300 * 1024;
const PAGE_BYTES = 4 * 1024 * 1024;
const APPEND = 'SELECT seq FROM countersign_append($1::bytea[])';
const DENIED = /permission denied/;

let servers: TestServers;
/** Of roles that no test here plays as hostile. */
let honest: LedgerStore;
let alsoHonest: LedgerStore;
const pools: pg.Pool[] = [];
const hostiles: pg.Client[] = [];

beforeAll(async () => {
  servers = await openTestServers();
  const logger = createLogger('test', 'silent');
  pools.push(
    ...(['party_2', 'party_3'] as const).map((role) => openPool(servers.roleUrls[role], 2, logger)),
  );
  [honest, alsoHonest] = pools.map(createLedgerStore) as [LedgerStore, LedgerStore];
}, 60_000);

afterEach(async () => {
  await Promise.all(hostiles.splice(0).map((client) => client.end().catch(() => undefined)));
});

afterAll(async () => {
  await Promise.all(pools.map((pool) => pool.end()));
  await servers?.close();
}, 60_000);

async function hostile(role: RoleName): Promise<pg.Client> {
  const client = new pg.Client({ connectionString: servers.roleUrls[role] });
  client.on('error', () => undefined); // it is ended by those whom it kept waiting
  hostiles.push(client);
  await client.connect();
  return client;
}

const as = (role: RoleName, text: string, values?: unknown[]) =>
  query(servers.roleUrls[role], text, values);

/** A row without its body, which its hash stands for. */
const told = ({ seq, hash }: EntryRow) => `${seq} ${Buffer.from(hash).toString('hex')}`;

const some = (count: number, size = 40) => Array.from({ length: count }, () => randomBytes(size));

async function readChain(): Promise<EntryRow[]> {
  const rows: EntryRow[] = [];
  for (;;) {
    const page = await honest.readAfter(rows.length, 500, PAGE_BYTES);
    if (page.length === 0) return rows;
    rows.push(...page);
  }
}

/** Numbered without gaps, each row with the hash of the one before it, as every node computes it. */
async function expectChain(): Promise<void> {
  let previous: EntryRow['hash'] = GENESIS_PREV_HASH;
  for (const [index, row] of (await readChain()).entries()) {
    expect(row.seq).toBe(index + 1);
    expect(Buffer.from(row.prevHash)).toEqual(Buffer.from(previous));
    expect(row.hash).toEqual(Buffer.from(entryHash(row.seq, row.prevHash, row.body)));
    previous = row.hash;
  }
}

/** By two roles at the same time, neither of which is taken for the one that holds the other up. */
async function expectAppended(): Promise<void> {
  await Promise.all(
    [honest, alsoHonest].map(async (store) => {
      const [body] = some(1);
      const [row] = await store.append([body!]);
      expect((await store.readAfter(row!.seq - 1, 1))[0]!.body).toEqual(body);
    }),
  );
}

describe.each(someOf(['gateway', 'party_1'] as const))('appends go on while %s', (role) => {
  it('sits in a transaction in which it appended', async () => {
    const client = await hostile(role);
    await client.query('SET idle_in_transaction_session_timeout = 0');
    await client.query('BEGIN');
    const [body] = some(1);
    await client.query(APPEND, [[body]]);
    await expectAppended();
    await expect(client.query('COMMIT')).rejects.toThrow();
    expect((await readChain()).some((row) => body!.equals(Buffer.from(row.body)))).toBe(false);
    await expectChain();
  });

  it('appends and sleeps in one statement', async () => {
    const client = await hostile(role);
    await client.query("SET statement_timeout = 0; SET lock_timeout = '1min'");
    const { pid } = await pidOf(client);
    const slept = client.query("SELECT countersign_append(ARRAY['x'::bytea]), pg_sleep(300)");
    const outcome = slept.catch((error: unknown) => error);
    await waitForTurn(pid);
    await expectAppended();
    expect(await outcome).toBeInstanceOf(Error);
  });

  it('stands in the line with many sessions, each of which would sit there: they all go with it', async () => {
    const clients = await Promise.all(Array.from({ length: 8 }, () => hostile(role)));
    const sitting = clients.map(async (client) => {
      await client.query('BEGIN');
      await client.query(APPEND, [some(1)]);
    });
    const settled = Promise.allSettled(sitting);
    await waitForLine(clients.length);
    await expectAppended();
    const outcomes = (await settled).map(({ status }) => status);
    expect(outcomes.filter((status) => status === 'fulfilled')).toHaveLength(1);
    await expectChain();
  });

  it('comes again and again with many sessions, each for less than would be noticed', async () => {
    let isOver = false;
    async function comeAgain(): Promise<void> {
      while (!isOver) {
        const client = await hostile(role).catch(() => undefined);
        while (!isOver) {
          const turn = client?.query("SELECT countersign_append(ARRAY['x'::bytea]), pg_sleep(0.3)");
          if ((await turn?.catch(() => undefined)) === undefined) break;
        }
      }
    }
    const coming = Array.from({ length: 6 }, comeAgain);
    try {
      await waitForTurn();
      for (let round = 0; round < 3; round++) await expectAppended();
    } finally {
      isOver = true;
      await Promise.all(coming);
    }
    await expectChain();
  });

  it('appends over an old snapshot, which fails', async () => {
    const client = await hostile(role);
    await client.query('BEGIN ISOLATION LEVEL REPEATABLE READ');
    await client.query('SELECT FROM ledger_entry');
    await expectAppended();
    await expect(client.query(APPEND, [some(1)])).rejects.toThrow(/duplicate key/);
    await expectAppended();
    await expectChain();
  });
});

async function pidOf(client: pg.Client): Promise<{ pid: number }> {
  const { rows } = await client.query<{ pid: number }>('SELECT pg_backend_pid() AS pid');
  return rows[0]!;
}

/** The sessions that have a lock on the table. */
async function lockersOf(table: string): Promise<number[]> {
  const rows = await query<{ pid: number }>(
    servers.ownerUrl,
    `SELECT DISTINCT lock.pid FROM pg_locks lock JOIN pg_database d ON d.oid = lock.database
     WHERE d.datname = current_database() AND lock.granted AND lock.relation = $1::regclass`,
    [table],
  );
  return rows.map((row) => row.pid);
}

/** Until the session, or any, has the turn. */
async function waitForTurn(pid?: number): Promise<void> {
  for (;;) {
    const holders = await lockersOf('ledger_turn');
    if (pid === undefined ? holders.length > 0 : holders.includes(pid)) return;
  }
}

/** Until so many sessions are at their gates or beyond. */
async function waitForLine(length: number): Promise<void> {
  while ((await lockersOf('ledger_gate')).length < length);
}

describe.each(ROLES)('%s', (role) => {
  const MODES = ['ROW SHARE', 'ROW EXCLUSIVE', 'SHARE', 'EXCLUSIVE', 'ACCESS EXCLUSIVE'];

  it.each(MODES)('may not lock the ledger, or the turns, in mode %s', async (mode) => {
    for (const table of ['ledger_entry', 'ledger_turn', 'ledger_gate']) {
      await expect(as(role, `BEGIN; LOCK TABLE ${table} IN ${mode} MODE`)).rejects.toThrow(DENIED);
    }
  });

  it('may not lock the turns by as little as a look', async () => {
    for (const text of [
      'BEGIN; LOCK TABLE ledger_turn IN ACCESS SHARE MODE',
      'SELECT FROM ledger_turn',
      'SELECT FROM ledger_turn_holder',
      'SELECT FROM ledger_gate',
      "SELECT countersign_end_hold('')",
    ]) {
      await expect(as(role, text)).rejects.toThrow(DENIED);
    }
  });

  it.each(['UPDATE', 'NO KEY UPDATE', 'SHARE', 'KEY SHARE'])(
    'may not lock rows of the ledger FOR %s',
    async (strength) => {
      await expect(as(role, `SELECT FROM ledger_entry FOR ${strength}`)).rejects.toThrow(DENIED);
    },
  );

  it('may not insert into the ledger but by the function', async () => {
    await expect(as(role, "INSERT INTO ledger_entry (body) VALUES ('x')")).rejects.toThrow(DENIED);
  });

  it('may not fill the table of locks, which all sessions share', async () => {
    const [{ may } = {}] = await query<{ may: boolean }>(
      servers.ownerUrl,
      `SELECT has_database_privilege($1, $2, 'TEMPORARY') AS may`,
      [`countersign_${role}`, TEMPLATES.empty],
    );
    expect(may).toBe(false);
    for (const call of [
      'pg_advisory_lock(7041776)',
      'pg_advisory_xact_lock(7041776, 1)',
      'pg_try_advisory_lock_shared(1)',
      'lo_create(0)',
      "lo_from_bytea(0, 'x')",
    ]) {
      await expect(as(role, `SELECT ${call}`)).rejects.toThrow(DENIED);
    }
  });

  it('may not touch the locks of another party', async () => {
    for (const party of [1, 2, 3].filter((number) => role !== `party_${number}`)) {
      const table = `party_${party}.key_lease`;
      for (const text of [
        `SELECT FROM ${table}`,
        `BEGIN; LOCK TABLE ${table} IN ACCESS SHARE MODE`,
      ]) {
        await expect(as(role, text)).rejects.toThrow(DENIED);
      }
    }
  });

  it('starts with limits', async () => {
    const [row] = await query<{ settings: string[]; rolconnlimit: number }>(
      servers.ownerUrl,
      'SELECT rolconfig AS settings, rolconnlimit FROM pg_roles WHERE rolname = $1',
      [`countersign_${role}`],
    );
    expect(row!.rolconnlimit).toBeGreaterThan(0);
    const names = row!.settings.map((setting) => setting.split('=')[0]);
    expect(new Set(names)).toEqual(
      new Set([
        'idle_in_transaction_session_timeout',
        'lock_timeout',
        'statement_timeout',
        'transaction_timeout',
      ]),
    );
  });

  it('stops no append with a transaction in which it reads', async () => {
    const client = await hostile(role);
    await client.query('BEGIN ISOLATION LEVEL SERIALIZABLE');
    await client.query('LOCK TABLE ledger_entry IN ACCESS SHARE MODE');
    await client.query('SELECT count(*) FROM ledger_entry');
    await expectAppended();
    await client.query('SELECT 1'); // nobody had to end it
  });
});

describe('an append', () => {
  it('takes a body of 300 KiB and none longer', async () => {
    const [row] = await honest.append(some(1, MAX_BODY));
    expect(row!.body).toHaveLength(MAX_BODY);
    await expect(honest.append(some(1, MAX_BODY + 1))).rejects.toThrow(/check constraint/);
    await expect(honest.append([Buffer.alloc(0)])).rejects.toThrow(/check constraint/);
  });

  it('takes 64 bodies and 4 MiB at once, and none more', async () => {
    for (const bodies of [some(65), some(14, MAX_BODY)]) {
      await expect(as('gateway', APPEND, [bodies])).rejects.toThrow(/at most 64 entries of 4 MiB/);
    }
    expect(await as('gateway', APPEND, [some(64)])).toHaveLength(64);
    expect(await as('gateway', APPEND, [some(13, MAX_BODY)])).toHaveLength(13);
  });

  it('of more than that goes in several calls, in order', async () => {
    const bodies = [...some(130), ...some(30, MAX_BODY), ...some(2)];
    const rows = await honest.append(bodies);
    const stored = await honest.readAfter(rows[0]!.seq - 1, bodies.length);
    expect(stored.map(told)).toEqual(rows.map(told));
    expect(stored.every(({ body }, index) => bodies[index]!.equals(body))).toBe(true);
    expect(await honest.append([])).toEqual([]);
  });

  it('of many at once makes one chain', async () => {
    const stores = await Promise.all(
      (['gateway', 'party_1', 'party_3'] as const).map(async (role) => {
        const own = new pg.Pool({ connectionString: servers.roleUrls[role], max: 3 });
        return { own, store: createLedgerStore(own) };
      }),
    );
    try {
      const before = (await readChain()).length;
      await Promise.all(
        stores.flatMap(({ store }) => Array.from({ length: 20 }, () => store.append(some(3)))),
      );
      expect((await readChain()).length).toBe(before + 180);
      await expectChain();
    } finally {
      await Promise.all(stores.map(({ own }) => own.end()));
    }
  });
});

describe('a page', () => {
  it('is bounded by rows and by bytes, and never empty before the end', async () => {
    const [first] = await honest.append([...some(3, 1_000), ...some(2, MAX_BODY)]);
    const after = first!.seq - 1;
    const sizes = async (limit: number, maxBytes: number) =>
      (await honest.readAfter(after, limit, maxBytes)).map(({ body }) => body.length);
    expect(await sizes(2, PAGE_BYTES)).toEqual([1_000, 1_000]);
    expect(await sizes(9, 2_999)).toEqual([1_000, 1_000]);
    expect(await sizes(9, 3_000)).toEqual([1_000, 1_000, 1_000]);
    expect(await sizes(9, 1)).toEqual([1_000]);
    expect(await sizes(9, PAGE_BYTES)).toEqual([1_000, 1_000, 1_000, MAX_BODY, MAX_BODY]);
    expect(await honest.readAfter(after + 5, 9, 1)).toEqual([]);
  });
});
