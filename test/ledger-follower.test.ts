/** A node that follows the ledger on real PostgreSQL: what it shows, what it remembers, and what stops it. */
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
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
import { createLogger } from '@countersign/runtime/process/logger.js';
import { openPool } from '@countersign/runtime/process/postgres-pool.js';
import { toHex } from '@countersign/core/bytes.js';
import { encodeEvidenceEntry } from '@countersign/vault/ledger/entry.js';
import type pg from 'pg';
import { createLedgerBuilder, type LedgerBuilder } from './support/ledger-builder.ts';
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
      expect(follower.view.tip.vaults.rows.size).toBe(before + 1);
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

  it('sees no vault as long as its operator has named none', async () => {
    let named: string | undefined;
    const follower = await follow({ genesisHash: () => named });
    expect(follower.state.genesisHash).toBe('');
    expect(follower.confirmedAt).toBeGreaterThan(0);
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
