/**
 * The queues as a tool for BullMQ sees them, and that a job is no more than a wake-up: forged, lost or repeated it
 * changes nothing, and the work is done without it.
 */
import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it, jest } from '@jest/globals';
import {
  freezeQueueName,
  KEY_GENERATION_QUEUE,
  signQueueName,
} from '@countersign/runtime/jobs/names.js';
import { waitingJobsKey } from '@countersign/runtime/jobs/job-backend.js';
import { Queue } from 'bullmq';
import type { Redis } from 'ioredis';
import { openTestRedis } from './support/restart-redis.ts';
import { shootMany, statusesOf } from './support/signing-load.ts';
import { eventually, expectOk, openTestVault } from './support/test-vault.ts';
import type { TestUser, TestVault, TestWallet } from './support/test-vault.ts';

jest.setTimeout(120_000);

let vault: TestVault;
let redis: Redis;
let bot: TestUser;
let wallet: TestWallet;
let keys: Queue;
const opened: Queue[] = [];

beforeAll(async () => {
  vault = await openTestVault();
  redis = openTestRedis(vault.servers.redis.url);
  bot = await vault.createMachine();
  wallet = await vault.createWallet({ initiators: [bot.id] });
  keys = open(KEY_GENERATION_QUEUE);
}, 60_000);

afterAll(async () => {
  await Promise.all(opened.map((queue) => queue.close()));
  redis?.disconnect();
  await vault?.close();
}, 60_000);

function open(name: string): Queue {
  const queue = new Queue(name, { connection: redis, skipMetasUpdate: true });
  opened.push(queue);
  return queue;
}

const PARTIES = [1, 2, 3] as const;
const freezes = () => PARTIES.map((party) => open(freezeQueueName({ party, name: 'a' })));

async function signAll(count = 12): Promise<void> {
  const shots = await shootMany(vault.baseUrl, bot, wallet, count);
  expect(statusesOf(shots)).toEqual([200]);
}

async function makeKey(): Promise<string> {
  const body = { type: 'ed25519', display_name: randomUUID() };
  return (await expectOk<{ id: string }>(vault.admin, 'POST', '/v1/keys', body)).id;
}

async function finished(queue: Queue, jobId: string) {
  return eventually(async () => {
    const job = await queue.getJob(jobId);
    return job?.finishedOn === undefined ? undefined : job;
  });
}

const freezeUser = (id: string) => expectOk(vault.admin, 'POST', `/v1/users/freeze?user_ids=${id}`);

const readKey = (id: string) => expectOk<{ status: string }>(vault.admin, 'GET', `/v1/keys/${id}`);

/** By BullMQ's own readers, as any tool opens them: nothing of ours is in between. */
describe('a queue of signing', () => {
  const signing = () => PARTIES.map((party) => open(signQueueName({ party, name: 'a' })));

  it('counts what waits for a party that stands still, and shows no payload', async () => {
    const queue = signing()[2]!;
    const third = vault.stack.signers[2]!;
    third.kill('SIGSTOP');
    try {
      await eventually(async () => {
        await shootMany(vault.baseUrl, bot, wallet, 4);
        return (await queue.getJobCounts('prioritized'))['prioritized']! > 0;
      });
      const waiting = await queue.getJobs(['prioritized', 'waiting', 'active']);
      expect(waiting.filter((job) => job !== undefined)).toEqual([]);
    } finally {
      third.kill('SIGCONT');
    }
    await eventually(async () => (await queue.count()) === 0);
  });

  it('has its rates, what failed too', async () => {
    await signAll();
    const [queue] = signing();
    const counted = async (type: 'completed' | 'failed') =>
      (await queue!.getMetrics(type)).meta.count;
    await eventually(async () => (await counted('completed')) > 0);
    const before = await counted('failed');
    await redis.zadd(waitingJobsKey(queue!.name), Date.now(), 'forged');
    await eventually(async () => (await counted('failed')) > before);
  });

  it('signs whatever is written where its figures are, and says them again', async () => {
    const [queue] = signing();
    const key = (of: string) => `bull:${queue!.name}:${of}`;
    await redis.del(key('metrics:completed'), key('metrics:completed:data'));
    await redis.set(key('metrics:completed'), 'no hash');
    await redis.set(key('active'), 'no list');
    await redis.hset(key('meta'), 'paused', '1');
    await redis.zadd(key('marker'), 0, '0');
    await signAll();
    await eventually(async () => {
      await signAll();
      return (await queue!.getMetrics('completed').catch(() => undefined))?.meta.count;
    });
    await redis.hdel(key('meta'), 'paused');
  });
});

describe('a job that nobody can read', () => {
  it('ends no worker: what comes after it is taken', async () => {
    for (const queue of [...freezes(), keys]) {
      const key = (id: string) => `bull:${queue.name}:${id}`;
      const junk: Record<string, string>[] = [
        { data: '{', opts: '{', name: 'x', timestamp: 'soon' },
        { data: '"x"', opts: '{"attempts":"many","repeat":{"every":1}}', rjk: 'a:b:c:d:e' },
        { data: '"x"', opts: '{}', parent: '{', parentKey: 'x', stacktrace: '{', returnvalue: '{' },
        { progress: '{', data: 'null' },
      ];
      for (const [at, fields] of junk.entries()) {
        await redis.hset(key(`junk-${at}`), fields);
        await redis.lpush(key('wait'), `junk-${at}`);
      }
      await redis.lpush(key('wait'), 'of-which-there-is-none');
      await redis.zadd(key('marker'), 0, '0');
    }
    for (const queue of [...freezes(), keys]) {
      await eventually(async () => (await queue.getWaitingCount()) === 0);
    }
    for (let round = 0; round < 3; round += 1) await signAll();
    const keyId = await makeKey();
    expect((await finished(keys, keyId)).returnvalue).toEqual({ status: 'active' });
  });
});

describe('key generation', () => {
  it('is a job with its progress and its result', async () => {
    const keyId = await makeKey();
    const job = await finished(keys, keyId);
    expect(job).toMatchObject({
      name: 'key-generation',
      data: keyId,
      progress: 100,
      returnvalue: { status: 'active' },
      attemptsMade: 1,
    });
  });

  it('that the ledger does not ask for fails, and makes no key', async () => {
    const forged = randomUUID();
    const job = await keys.add('key-generation', forged, { jobId: forged });
    await eventually(() => job.isFailed());
    expect((await keys.getJob(forged))!.failedReason).toBe('the ledger names no such key');
    expect((await vault.admin.get(`/v1/keys/${forged}`)).status).toBe(404);
  });

  it('that is repeated finds the key made, and changes nothing', async () => {
    const keyId = await makeKey();
    await finished(keys, keyId);
    const before = await readKey(keyId);
    const again = await keys.add('key-generation', keyId, { jobId: `again-${keyId}` });
    expect((await finished(keys, again.id!)).returnvalue).toEqual({ status: 'active' });
    expect(await readKey(keyId)).toEqual(before);
  });

  it('is done without its job: lost, or with all of Redis', async () => {
    await keys.pause();
    const keyId = await makeKey();
    await keys.obliterate({ force: true });
    expect(await keys.getJob(keyId)).toBeUndefined();
    await eventually(async () => (await readKey(keyId)).status === 'active');
    await redis.flushall();
    const other = await eventually(async () => makeKey().catch(() => undefined));
    await eventually(async () => (await readKey(other)).status === 'active');
  });
});

describe('a freeze', () => {
  it('wakes each replica by a job, which says how far it has seen', async () => {
    const other = await vault.createMachine();
    await freezeUser(other.id);
    for (const queue of freezes()) {
      const [job] = await eventually(async () => {
        const jobs = await queue.getCompleted(0, 0);
        return jobs.length > 0 ? jobs : undefined;
      });
      const { ledger_seq: seen } = job!.returnvalue as { ledger_seq: number };
      expect(seen).toBeGreaterThanOrEqual(Number(job!.data));
    }
  });

  it('is obeyed without its job; a forged, repeated or nonsensical one freezes and unfreezes nobody', async () => {
    for (const queue of freezes()) await queue.pause();
    const other = await vault.createMachine();
    const group = await vault.createWallet({ initiators: [other.id] });
    expect(statusesOf(await shootMany(vault.baseUrl, other, group, 4))).toEqual([200]);
    await freezeUser(other.id);
    for (const queue of freezes()) await queue.obliterate({ force: true });
    expect(statusesOf(await shootMany(vault.baseUrl, other, group, 4))).toEqual([401]);
    const queues = freezes();
    for (const data of ['1', '1', '999999999', 'NaN', '{"user":"x"}']) {
      for (const queue of queues) await queue.add('freeze', data);
    }
    for (const queue of queues) {
      await eventually(async () => (await queue.getJobCountByTypes('wait', 'active')) === 0);
    }
    expect(statusesOf(await shootMany(vault.baseUrl, other, group, 4))).toEqual([401]);
    await signAll();
  });
});
