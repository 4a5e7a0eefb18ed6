/** What stops a node that follows the ledger, on real PostgreSQL: `now` is its clock. */
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { createFold } from '@countersign/vault/ledger/fold.js';
import {
  openLedgerFollower,
  type LedgerFollower,
} from '@countersign/runtime/ledger/ledger-follower.js';
import { createLedgerStore, type LedgerStore } from '@countersign/runtime/ledger/ledger-store.js';
import { createLogger } from '@countersign/runtime/process/logger.js';
import { openPool } from '@countersign/runtime/process/postgres-pool.js';
import type pg from 'pg';
import { createLedgerBuilder, type LedgerBuilder } from './support/ledger-builder.ts';
import { appendEvidenceKey, appendRecipient, refuseKey } from './support/party-facts.ts';
import { signedEvidenceKey, signedRecipient } from './support/party-facts.ts';
import { openTestServers, type TestServers } from './support/test-servers.ts';

const MINUTE_MS = 60_000;
const logger = createLogger('test', 'silent');

let servers: TestServers;
let pool: pg.Pool;
let store: LedgerStore;
let ledger: LedgerBuilder;
let written: number;
let follower: LedgerFollower;
/** How far this node's clock is from those who append. */
let clockError: number;

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

beforeEach(async () => {
  clockError = 0;
  await write();
  follower = await openLedgerFollower({
    store,
    fold: createFold(ledger.keys),
    logger,
    connectionString: servers.roleUrls.gateway,
    now: () => ledger.now + clockError,
    pollMs: 60_000,
    watchClock: true,
  });
});
afterEach(() => follower.stop());

/** What the builder appended since the last time goes into the database. */
async function write(): Promise<void> {
  const rows = ledger.rows.slice(written);
  if (rows.length > 0) await store.append(rows.map(({ body }) => body));
  written = ledger.rows.length;
}

async function follow(): Promise<Error | undefined> {
  await write();
  await follower.catchUp().catch(() => undefined);
  return follower.fault;
}

const change = () =>
  ledger.send(ledger.admin, 'POST', '/v1/vaults', { display_name: `desk ${ledger.rows.length}` });

describe('a node that watches its clock', () => {
  it('goes on while new changes are dated as it would date them', async () => {
    for (const error of [0, 4 * MINUTE_MS, -4 * MINUTE_MS]) {
      clockError = error;
      expect(change().refusal).toBeUndefined();
      expect(await follow()).toBeUndefined();
    }
    expect(follower.state.headHash).toBe(ledger.state.headHash);
  });

  it.each([6 * MINUTE_MS, -6 * MINUTE_MS])(
    'stops at a change that is dated %i ms from it, for good',
    async (error) => {
      clockError = error;
      change();
      expect((await follow())?.message).toContain("far from this node's clock");
      expect(follower.confirmedAt).toBe(Number.NEGATIVE_INFINITY);
      clockError = 0;
      await expect(follower.catchUp()).rejects.toThrow('dated far');
    },
  );

  it("does not stop at a party's word, of which nobody signs the date", async () => {
    const asked = ledger.send(ledger.admin, 'POST', '/v1/keys', { type: 'rsa', display_name: 'R' });
    const keyId = asked.subject!.resourceIds[0]!;
    const wallet = ledger.send(ledger.admin, 'POST', '/v1/keys', {
      type: 'ed25519',
      display_name: 'E',
    });
    expect(await follow()).toBeUndefined();
    clockError = 6 * MINUTE_MS;
    const words = [
      appendRecipient(ledger, signedRecipient(ledger, 1, `import key ${ledger.rows.length}`)),
      appendEvidenceKey(ledger, signedEvidenceKey(ledger, 2, 'abcdef0123456789')),
      refuseKey(ledger, 3, keyId),
      ledger.attest(1, wallet.subject!.resourceIds[0]!),
    ];
    expect(words.map(({ refusal }) => refusal)).toEqual(words.map(() => undefined));
    expect(await follow()).toBeUndefined();
    expect(follower.state.headHash).toBe(ledger.state.headHash);
  });
});
