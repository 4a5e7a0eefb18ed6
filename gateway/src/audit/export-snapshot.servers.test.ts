/** The connection of an export: how long it may take, and that its end is the end of nothing else. */
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import pg from 'pg';
import { openTestServers, type TestServers } from '../../../test/support/test-servers.js';
import { createSnapshots } from './export-snapshot.js';

let servers: TestServers;
let owner: pg.Pool;
let pool: pg.Pool;

beforeAll(async () => {
  servers = await openTestServers();
  owner = new pg.Pool({ connectionString: servers.ownerUrl, max: 1 });
  pool = new pg.Pool({ connectionString: servers.roleUrls.gateway, max: 1 });
}, 60_000);
afterAll(async () => {
  await Promise.all([owner?.end(), pool?.end()]);
  await servers?.close();
}, 60_000);

async function timeouts(client: Pick<pg.Pool, 'query'>): Promise<unknown> {
  const { rows } = await client.query(
    `SELECT current_setting('transaction_timeout') AS whole,
       current_setting('idle_in_transaction_session_timeout') AS idle`,
  );
  return rows[0];
}

test('lasts as long as its reader needs, and no other request does', async () => {
  const before = await timeouts(pool);
  const { client, release } = await createSnapshots(pool)();
  expect(await timeouts(client)).toEqual({ whole: '30min', idle: '2min' });
  await release();
  expect(await timeouts(pool)).toEqual(before);
  expect(before).toEqual({ whole: '30s', idle: '5s' });
});

test('may be cut by the database between two queries: the next one says so', async () => {
  const open = createSnapshots(pool);
  const { client, release } = await open();
  const { rows } = await client.query<{ pid: number }>('SELECT pg_backend_pid() AS pid');
  // this hears of the end alone: an error that nobody hears would end the gateway, and ends this test
  const cut = new Promise<void>((resolve) => client.once('end', resolve));
  await owner.query('SELECT pg_terminate_backend($1)', [rows[0]!.pid]);
  await cut;
  await expect(client.query('SELECT 1')).rejects.toThrow();
  await release();
  const again = await open();
  await again.release();
});
