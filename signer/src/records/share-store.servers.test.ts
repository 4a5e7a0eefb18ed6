import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import pg from 'pg';
import { openTestServers, type TestServers } from '../../../test/support/test-servers.js';
import { createShareStore, type NewShare, type ShareStore } from './share-store.js';

let servers: TestServers;
let pool: pg.Pool;
let store: ShareStore;

beforeAll(async () => {
  servers = await openTestServers();
  pool = new pg.Pool({ connectionString: servers.roleUrls.party_2, max: 2 });
}, 60_000);
afterAll(async () => {
  await pool?.end();
  await servers?.close();
}, 60_000);
beforeEach(() => {
  store = createShareStore(pool, 2);
});

function shareOf(keyId: string, session: string): NewShare {
  return {
    keyId,
    session,
    version: 1,
    wrappedDek: Buffer.from(`dek of ${session}`),
    sealed: Buffer.from(`sealed in ${session}`),
    scheme: 'test',
    kekId: 'kek',
    createdAt: Date.now(),
  };
}

/** As whoever owns the database can. */
async function writeSealed(keyId: string, sealed: string): Promise<void> {
  const owner = new pg.Client({ connectionString: servers.ownerUrl });
  await owner.connect();
  const update = 'UPDATE party_2.key_share SET sealed = $2 WHERE key_id = $1';
  await owner.query(update, [keyId, Buffer.from(sealed)]).finally(() => owner.end());
}

const sessionsOf = async (keyId: string, ...sessions: readonly string[]) => {
  const found: string[] = [];
  // asked one by one: a store gives one share for each key
  for (const session of sessions) {
    const share = (await store.load([{ keyId, session }])).get(keyId);
    if (share !== undefined) found.push(share.session);
  }
  return found;
};

describe("a party's shares", () => {
  it('are found by key and run, with what was kept, and the missing ones are left out', async () => {
    const keyId = randomUUID();
    const { wrappedDek, sealed, version } = shareOf(keyId, 'one');
    await store.insert(shareOf(keyId, 'one'));
    const kept = { keyId, session: 'one', version, wrappedDek, sealed };
    const asked = [
      { keyId, session: 'one' },
      { keyId: randomUUID(), session: 'one' },
    ];
    expect(await store.load(asked)).toEqual(new Map([[keyId, kept]]));
    // and again, from what it remembers
    expect(await store.load(asked)).toEqual(new Map([[keyId, kept]]));
    expect(await sessionsOf(keyId, 'two')).toEqual([]);
  });

  it('of a key that is no more are not given out, not even from memory', async () => {
    const [gone, live] = [randomUUID(), randomUUID()];
    for (const keyId of [gone, live]) {
      await store.insert(shareOf(keyId, 'one'));
      await store.insert(shareOf(keyId, 'two'));
      expect(await sessionsOf(keyId, 'one', 'two')).toEqual(['one', 'two']);
    }
    await store.deleteAll([gone, randomUUID()]);
    expect(await sessionsOf(gone, 'two', 'one')).toEqual([]);
    expect(await sessionsOf(live, 'one', 'two')).toEqual(['one', 'two']);
  });

  it('are read anew once one did not open: the database gave another row for a moment', async () => {
    const keyId = randomUUID();
    await store.insert(shareOf(keyId, 'one'));
    const sealedNow = async () =>
      (await store.load([{ keyId, session: 'one' }])).get(keyId)!.sealed.toString();
    await writeSealed(keyId, 'what another wrote');
    expect(await sealedNow()).toBe('what another wrote');
    await writeSealed(keyId, 'sealed in one');
    expect(await sealedNow()).toBe('what another wrote');
    store.forget([keyId]);
    expect(await sealedNow()).toBe('sealed in one');
  });

  it('of other runs go when one has won', async () => {
    const keyId = randomUUID();
    for (const session of ['one', 'two', 'three']) await store.insert(shareOf(keyId, session));
    await store.deleteOtherSessions(keyId, 'two');
    expect(await sessionsOf(keyId, 'one', 'two', 'three')).toEqual(['two']);
  });

  it('are not overwritten by another of the same run', async () => {
    const keyId = randomUUID();
    await store.insert(shareOf(keyId, 'one'));
    const other = { ...shareOf(keyId, 'one'), sealed: Buffer.from('another') };
    await expect(store.insert(other)).rejects.toMatchObject({ code: '23505' });
  });
});
