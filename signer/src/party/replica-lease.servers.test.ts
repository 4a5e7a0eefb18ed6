/** Two processes of a party under one name, and a replica whose commits are not answered. */
import { afterAll, beforeAll, beforeEach, describe, expect, it, jest } from '@jest/globals';
import type { Alarm } from '@countersign/runtime/alarms/alarms.js';
import { createLogger } from '@countersign/runtime/process/logger.js';
import { startReplica } from '@countersign/runtime/jobs/replica.js';
import pg from 'pg';
import { openTestServers, type TestServers } from '../../../test/support/test-servers.js';
import { eventually } from '../../../test/support/test-vault.js';
import { createReplicaLease } from './replica-lease.js';

jest.setTimeout(60_000);

let servers: TestServers;
let pool: pg.Pool;
let raised: Alarm[];
beforeAll(async () => {
  servers = await openTestServers();
  pool = new pg.Pool({ connectionString: servers.roleUrls.party_1, max: 2 });
}, 60_000);
afterAll(async () => {
  await pool?.end();
  await servers?.close();
}, 60_000);

beforeEach(() => {
  raised = [];
});

const leaseOf = (name: string, now = Date.now, query: Pick<pg.Pool, 'query'> = pool) =>
  createReplicaLease({
    pool: query,
    self: startReplica(1, name),
    alarms: { raise: (alarm) => void raised.push(alarm) },
    logger: createLogger('test', 'silent'),
    now,
  });

it('the second process of one name is told that the name is taken, and the first one goes on', async () => {
  const [first, second] = [leaseOf('a'), leaseOf('a')];
  await first.take();
  await expect(second.take()).rejects.toThrow(
    'REPLICA: another process of party 1 runs under the name "a"',
  );
  expect(first.canWrite).toBe(true);
  expect(second.canWrite).toBe(false);
  await first.stop();
  await second.take();
  await second.stop();
});

describe('a replica whose last process was killed', () => {
  // what that left, written while the database's clock was an hour ahead
  const leave = () =>
    pool.query(`INSERT INTO party_1.key_lease (name, holder, expires_at)
      VALUES ('replica e', gen_random_uuid(), clock_timestamp() + interval '1 hour 5 seconds')`);
  const renew = () =>
    pool.query(`UPDATE party_1.key_lease SET expires_at = expires_at + interval '2 seconds'
      WHERE name = 'replica e'`);
  const tenTimesAsFast = () => performance.now() * 10;

  it("starts again although the database's clock was ahead meanwhile", async () => {
    await leave();
    const lease = leaseOf('e', tenTimesAsFast);
    await lease.take();
    await lease.stop();
  });

  it('takes the name from nobody who renews it', async () => {
    await leave();
    const timer = setInterval(() => void renew(), 200);
    try {
      await expect(leaseOf('e', tenTimesAsFast).take()).rejects.toThrow('another process');
    } finally {
      clearInterval(timer);
    }
  });
});

it('another name is free', async () => {
  const [first, second] = [leaseOf('a'), leaseOf('b')];
  await Promise.all([first.take(), second.take()]);
  await Promise.all([first.stop(), second.stop()]);
});

it('a replica that commits nothing for seconds says so, and goes on once it can', async () => {
  let clock = 0;
  let isStuck = false;
  const query = (...args: Parameters<pg.Pool['query']>) =>
    isStuck ? Promise.reject(new Error('no commit')) : pool.query(...args);
  const lease = leaseOf('c', () => clock, { query } as unknown as Pick<pg.Pool, 'query'>);
  expect(lease.canWrite).toBe(false);
  await lease.take();
  expect(lease.canWrite).toBe(true);
  isStuck = true;
  clock = 6_000;
  expect(lease.canWrite).toBe(false);
  await eventually(() => raised.length > 0);
  expect(raised).toEqual([
    { kind: 'records_unwritable', party: 1, reason: 'replica c: Error: no commit' },
  ]);
  isStuck = false;
  await eventually(() => lease.canWrite);
  expect(raised).toHaveLength(1);
  await lease.stop();
});

it('a replica that stops while it renews leaves nothing behind', async () => {
  const held: (() => void)[] = [];
  let isSlow = false;
  const query = async (...args: Parameters<pg.Pool['query']>) => {
    if (isSlow && String(args[0]).startsWith('INSERT')) {
      await new Promise<void>((resolve) => void held.push(resolve));
    }
    return pool.query(...args);
  };
  const lease = leaseOf('d', Date.now, { query } as unknown as Pick<pg.Pool, 'query'>);
  await lease.take();
  isSlow = true;
  await eventually(() => held.length > 0);
  const stopped = lease.stop();
  held.forEach((release) => release());
  await stopped;
  const { rows } = await pool.query(`SELECT name FROM party_1.key_lease WHERE name = 'replica d'`);
  expect(rows).toEqual([]);
});
