import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import pg from 'pg';
import { openTestServers, type TestServers } from '../../../test/support/test-servers.js';
import { createRecipientStore, type RecipientStore } from './recipient-store.js';

const NOW = Date.UTC(2026, 0, 5, 12);

let servers: TestServers;
let pool: pg.Pool;
let store: RecipientStore;

beforeAll(async () => {
  servers = await openTestServers();
  pool = new pg.Pool({ connectionString: servers.roleUrls.party_3, max: 2 });
  store = createRecipientStore(pool, 3);
}, 60_000);
afterAll(async () => {
  await pool?.end();
  await servers?.close();
}, 60_000);

async function keep(expiresAt: number) {
  const recipientId = randomUUID();
  const recipient = {
    recipientId,
    wrappedDek: Buffer.from(`dek of ${recipientId}`),
    sealed: Buffer.from(`sealed of ${recipientId}`),
  };
  await store.insert(recipient, expiresAt);
  return recipient;
}

describe("a party's keys for imports", () => {
  it('are found by their ids, as they were kept', async () => {
    const recipient = await keep(NOW);
    expect(await store.find(recipient.recipientId)).toEqual(recipient);
    expect(await store.find(randomUUID())).toBeUndefined();
  });

  it('are gone once they expired before the time that is given, and no others', async () => {
    const expiries = [NOW - 86_400_000, NOW - 1, NOW, NOW + 1];
    const recipients = await Promise.all(expiries.map(keep));
    await store.deleteExpiredBefore(NOW);
    const found = await Promise.all(recipients.map((row) => store.find(row.recipientId)));
    expect(found).toEqual([undefined, undefined, recipients[2], recipients[3]]);
  });
});
