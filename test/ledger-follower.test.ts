/** A node that follows the ledger on real PostgreSQL: what it shows, what it remembers, and what stops it. */
import { sign } from 'node:crypto';
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { createLoggedAlarms } from '@countersign/runtime/alarms/alarms.js';
import { createFold } from '@countersign/vault/ledger/fold.js';
import {
  openLedgerFollower,
  type FollowerOptions,
  type LedgerFollower,
} from '@countersign/runtime/ledger/ledger-follower.js';
import { openPinFile } from '@countersign/runtime/ledger/ledger-pin.js';
import { createLedgerStore, type LedgerStore } from '@countersign/runtime/ledger/ledger-store.js';
import { PAGE } from '@countersign/runtime/ledger/read-rows.js';
import { createLogger } from '@countersign/runtime/process/logger.js';
import { openPool } from '@countersign/runtime/process/postgres-pool.js';
import { toHex } from '@countersign/core/bytes.js';
import { encodeEvidenceEntry } from '@countersign/vault/ledger/write-entry.js';
import type pg from 'pg';
import type { Alarm } from '@countersign/runtime/alarms/alarms.js';
import { openFoldSnapshots } from '@countersign/runtime/ledger/fold-snapshots.js';
import { partyAuthor } from '@countersign/runtime/ledger/snapshot-author.js';
import { STATES_KEPT } from '@countersign/vault/ledger/remembered-places.js';
import { stateHash } from '@countersign/vault/state/state-hash.js';
import {
  createLedgerBuilder,
  testPrivateKey,
  type LedgerBuilder,
} from './support/ledger-builder.ts';
import { openTestServers, type TestServers } from './support/test-servers.ts';

const logger = createLogger('test', 'silent');

let servers: TestServers;
let pool: pg.Pool;
let store: LedgerStore;
let ledger: LedgerBuilder;
let written: number;
let folder: string;
const followers: LedgerFollower[] = [];

beforeAll(async () => {
  servers = await openTestServers();
  pool = openPool(servers.roleUrls.gateway, 2, logger);
  store = createLedgerStore(pool);
  ledger = createLedgerBuilder();
  written = 0;
}, 60_000);

afterAll(async () => {
  await pool?.end();
  await servers?.close();
}, 60_000);

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'countersign-test-'));
});

afterEach(async () => {
  for (const follower of followers.splice(0)) await follower.stop();
  rmSync(folder, { recursive: true });
});

/** What the builder appended since the last time goes into the database. */
async function write(): Promise<void> {
  const rows = ledger.rows.slice(written);
  if (rows.length > 0) await store.append(rows.map(({ body }) => body));
  written = ledger.rows.length;
}

async function follow(options: Partial<FollowerOptions> = {}): Promise<LedgerFollower> {
  await write();
  const follower = await openLedgerFollower({
    store,
    fold: createFold({ keys: ledger.keys }),
    logger,
    alarms: createLoggedAlarms(logger),
    connectionString: servers.roleUrls.gateway,
    now: Date.now,
    pollMs: 60_000,
    genesisHash: () => toHex(ledger.rows[0]!.hash),
    pinFile: openPinFile(pinPath()),
    ...options,
  });
  followers.push(follower);
  return follower;
}

const pinPath = () => join(folder, 'pin.json');
const pinned = () => JSON.parse(readFileSync(pinPath(), 'utf8')) as { seq: number; hash: string };

/** A change that nobody has judged. */
function appendUnjudged(): void {
  const evidence = ledger.evidenceOf(ledger.admin, 'POST', '/v1/vaults', {
    display_name: `desk ${ledger.rows.length}`,
  });
  ledger.appendRow(encodeEvidenceEntry(ledger.now, evidence, ledger.keys));
}

const vaults = (follower: LedgerFollower) => follower.state.vaults.rows.size;

describe('a node that follows the ledger', () => {
  it('shows a change once two parties have countersigned it, and pins every head that it shows', async () => {
    const follower = await follow();
    const before = vaults(follower);
    appendUnjudged();
    const { seq, hash } = ledger.rows.at(-1)!;
    for (const party of [1, 2] as const) {
      await write();
      await follower.catchUp();
      expect(vaults(follower)).toBe(before);
      expect(follower.view.optimistic.vaults.rows.size).toBe(before + 1);
      expect(pinned()).toMatchObject({
        seq: follower.state.seq,
        hash: follower.state.headHash,
      });
      ledger.appendRow(ledger.countersignature(party, { seq, hash }));
    }
    await write();
    await follower.catchUp();
    expect(vaults(follower)).toBe(before + 1);
    expect(follower.view.pending).toEqual([]);
  });

  it('follows no other vault than its operator named, whatever it pinned', async () => {
    await expect(follow({ genesisHash: () => 'ab'.repeat(32) })).rejects.toThrow('another genesis');
  });

  it('says how long ago it was confirmed, although its clock is set back', async () => {
    let [now, elapsed, isAway] = [Date.now(), 5_000, false];
    const readAfter: FollowerOptions['store']['readAfter'] = (...asked) =>
      isAway ? Promise.reject(new Error('no database')) : store.readAfter(...asked);
    const follower = await follow({
      store: { readAfter },
      now: () => now,
      elapsed: () => elapsed,
    });
    expect(follower.confirmedMsAgo).toBe(0);
    isAway = true;
    now -= 3_600_000;
    elapsed += 2_000;
    await expect(follower.catchUp()).rejects.toThrow('no database');
    expect(follower.confirmedMsAgo).toBe(2_000);
    isAway = false;
    await follower.catchUp();
    expect(follower.confirmedMsAgo).toBe(0);
  });

  it('sees no vault as long as its operator has named none', async () => {
    let named: string | undefined;
    const follower = await follow({ genesisHash: () => named });
    expect(follower.state.genesisHash).toBe('');
    expect(follower.confirmedMsAgo).toBeLessThan(10_000);
    named = toHex(ledger.rows[0]!.hash);
    await follower.catchUp();
    expect(follower.state.headHash).toBe(ledger.state.headHash);
  });

  it('starts on no log that lacks what it relied on', async () => {
    await follow();
    const { seq } = pinned();
    const short = {
      readAfter: async (after: number, limit: number) =>
        (await store.readAfter(after, limit)).filter((row) => row.seq < seq),
    };
    await expect(follow({ store: short })).rejects.toThrow('was it rolled back?');
    expect(pinned().seq).toBe(seq);
  });

  it('pins a ledger that ends with a full page', async () => {
    const full = createLedgerBuilder();
    while (full.rows.length < PAGE) full.appendRow(Buffer.of(255));
    const follower = await follow({
      store: { readAfter: async (after, limit) => full.rows.slice(after, after + limit) },
      fold: createFold({ keys: full.keys }),
      genesisHash: () => toHex(full.rows[0]!.hash),
    });
    expect([follower.pinnedSeq, pinned().seq]).toEqual([PAGE, PAGE]);
  });

  it('stops where a store that showed it one log goes on with another', async () => {
    const follower = await follow();
    const forked = createLedgerBuilder();
    while (forked.rows.length <= ledger.rows.length) {
      forked.send(forked.admin, 'POST', '/v1/vaults', { display_name: `x ${forked.rows.length}` });
    }
    let hasToldTheTruth = false;
    const lying = await openLedgerFollower({
      store: {
        async readAfter(after, limit) {
          if (hasToldTheTruth) return forked.rows.slice(after, after + limit);
          hasToldTheTruth = true;
          return store.readAfter(after, limit);
        },
      },
      fold: createFold({ keys: ledger.keys }),
      logger,
      alarms: createLoggedAlarms(logger),
      connectionString: servers.roleUrls.gateway,
      now: Date.now,
      pollMs: 60_000,
      genesisHash: () => toHex(ledger.rows[0]!.hash),
      pinFile: undefined,
    });
    followers.push(lying);
    expect(lying.state.headHash).toBe(follower.state.headHash);
    await expect(lying.catchUp()).rejects.toThrow('no longer in the ledger');
    expect(lying.fault).toBeDefined();
    expect(lying.state.headHash).toBe(follower.state.headHash);
  });
});

describe('a node that keeps snapshots of its fold', () => {
  const snapshotPath = () => join(folder, 'pin.json.snapshot');

  /** As a primary replica of party 1; `heard`: how many outcomes it was told of. */
  async function keep(options: Partial<FollowerOptions> = {}) {
    const path = snapshotPath();
    const snapshots = openFoldSnapshots({ path, author: partyAuthor(1), logger, everyRows: 40 });
    const [alarms, heard]: [Alarm[], number[]] = [[], []];
    const memory = { name: 'none', save: () => [], load: () => () => undefined };
    const follower = await follow({
      alarms: { raise: (alarm) => void alarms.push(alarm) },
      onOutcomes: (outcomes) => void heard.push(...outcomes.map(({ seq }) => seq)),
      kept: { snapshots, memory },
      ...options,
    });
    return { follower, snapshots, alarms, heard };
  }

  const signAsParty1 = async (message: Uint8Array) =>
    sign(null, message, testPrivateKey('party 1'));

  /** More changes than are remembered, so that what lies before them may be left behind. */
  async function fill(follower: LedgerFollower): Promise<void> {
    for (let change = 0; change < STATES_KEPT + 40; change += 1) {
      ledger.must(ledger.admin, 'POST', '/v1/vaults', { display_name: `many ${ledger.now}` });
      if (change % 8 > 0) continue;
      await write();
      await follower.catchUp();
    }
    await write();
    await follower.catchUp();
  }

  it('starts from one, and stops all the same where the rows before it were rewritten', async () => {
    const first = await keep();
    first.snapshots.proveBy(signAsParty1);
    await fill(first.follower);
    await first.follower.stop();
    expect(existsSync(snapshotPath())).toBe(true);

    const next = await keep();
    expect(next.heard[0]).toBeGreaterThan(40);
    expect(next.follower.state.headHash).toBe(ledger.state.headHash);
    expect(stateHash(next.follower.state)).toBe(stateHash(ledger.state));
    await next.follower.stop();
    expect([next.follower.fault, next.alarms]).toEqual([undefined, []]);

    const lying = (since: number) => {
      let times = 0;
      return {
        async readAfter(after: number, limit: number, bytes?: number) {
          const rows = await store.readAfter(after, limit, bytes);
          if (after > 0 || limit === 1 || (times += 1) < since) return rows;
          return rows.map((row) => (row.seq === 6 ? { ...row, body: Buffer.alloc(9) } : row));
        },
      };
    };
    const fault = 'entry 6 does not have its hash';
    // the rows whose hashes the fold needs are few: it is read before anything is folded that such a one is another
    await expect(keep({ store: lying(1) })).rejects.toThrow(fault);
    // all others are read by the side
    const { follower, alarms, heard } = await keep({ store: lying(2) });
    expect(heard[0]).toBe(next.heard[0]);
    expect(await follower.waitUntil(() => false, 10_000)).toBe(false);
    expect(follower.fault?.message).toBe(fault);
    expect(alarms).toMatchObject([{ kind: 'ledger_fault', reason: fault }]);
    expect(follower.confirmedMsAgo).toBe(Number.POSITIVE_INFINITY);
  }, 120_000);

  it('that was rolled back below its snapshot is refused as ever', async () => {
    const first = await keep();
    first.snapshots.proveBy(signAsParty1);
    await fill(first.follower);
    await first.follower.stop();
    const short = {
      readAfter: async (after: number, limit: number) =>
        (await store.readAfter(after, limit)).filter((row) => row.seq < 30),
    };
    await expect(keep({ store: short })).rejects.toThrow('was it rolled back?');
  }, 120_000);
});
