import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import pg from 'pg';
import { openTestServers, type TestServers } from '../../../test/support/test-servers.js';
import { createNonceStore } from './venue-nonce-store.js';

/** A database that answers what the test says. */
function storeOver(answers: { last?: string; rowCount?: number }[]) {
  const pool = {
    query: async () => {
      const { last = '0', rowCount = 1 } = answers.shift()!;
      return { rows: [{ last }], rowCount };
    },
  };
  return createNonceStore(pool as unknown as pg.Pool, 1);
}

describe('the numbers of a venue key', () => {
  it('are given in order, and never again when the database forgets them', async () => {
    const store = storeOver([{ last: '5' }, { last: '6' }, { last: '6' }]);
    expect(await Promise.all([store.take('k', 1n), store.take('k', 1n)])).toEqual([5n, 6n]);
    await expect(store.take('k', 1n)).rejects.toThrow('came twice');
  });

  it('are not accepted below one that was given, whatever the database says', async () => {
    const store = storeOver([{ last: '9' }, {}, {}, { rowCount: 0 }]);
    await store.take('k', 1n);
    expect(await store.accept('k', 9n)).toBe(false);
    expect(await store.accept('k', 10n)).toBe(true);
    expect(await store.accept('k', 11n)).toBe(false);
  });
});

describe('the numbers of a venue key in the database', () => {
  let servers: TestServers;
  let pool: pg.Pool;
  let keyId: string;

  beforeAll(async () => {
    servers = await openTestServers();
    pool = new pg.Pool({ connectionString: servers.roleUrls.party_1, max: 4 });
  }, 60_000);
  afterAll(async () => {
    await pool?.end();
    await servers?.close();
  }, 60_000);
  beforeEach(() => {
    keyId = randomUUID();
  });
  /** As a process that has just started: what it knows is in the database. */
  const openStore = () => createNonceStore(pool, 1);

  it('begin at the floor, and go on above the last one when the floor is behind it', async () => {
    expect(await openStore().take(keyId, 1_000n)).toBe(1_000n);
    expect(await openStore().take(keyId, 1_000n)).toBe(1_001n);
    expect(await openStore().take(keyId, 5_000n)).toBe(5_000n);
    // a number that was kept far ahead of the clock is not gone below, whoever asks
    expect(await openStore().take(keyId, 2_000n)).toBe(5_001n);
    expect(await openStore().take(randomUUID(), 2_000n)).toBe(2_000n);
  });

  it('are accepted above the last one alone, and are then the last', async () => {
    expect(await openStore().accept(keyId, 1_000n)).toBe(true);
    expect(await openStore().accept(keyId, 1_000n)).toBe(false);
    expect(await openStore().accept(keyId, 999n)).toBe(false);
    expect(await openStore().accept(keyId, 1_001n)).toBe(true);
    expect(await openStore().take(keyId, 1n)).toBe(1_002n);
    expect(await openStore().accept(keyId, 1_002n)).toBe(false);
  });

  it('are never the same for two replicas of a party', async () => {
    const stores = [openStore(), openStore(), openStore()];
    const taken = await Promise.all(
      Array.from({ length: 60 }, (_, index) => stores[index % 3]!.take(keyId, 7n)),
    );
    expect(new Set(taken).size).toBe(60);
    expect(taken.toSorted((a, b) => (a < b ? -1 : 1))).toEqual(
      Array.from({ length: 60 }, (_, index) => 7n + BigInt(index)),
    );
  });
});
