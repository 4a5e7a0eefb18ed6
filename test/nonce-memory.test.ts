/** What a gateway makes of a Redis that remembers nothing: was anything ever there to be remembered? */
import { randomBytes } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { createLogger } from '@countersign/runtime/process/logger.js';
import { isRefusal } from '@countersign/core/errors.js';
import type { Redis } from 'ioredis';
import { createNonceStore, type NonceStore } from '../gateway/src/admission/nonce-store.ts';
import { openEmbeddedRedis, type EmbeddedRedis } from '../infra/dev/dist/embedded/redis.js';
import { openTestRedis } from './support/restart-redis.ts';

const NOW = 1_800_000_000_000;
const BEHIND = NOW - 4 * 60_000;

let home: string;
let server: EmbeddedRedis;
let owner: Redis;
const connections: Redis[] = [];

beforeAll(async () => {
  home = mkdtempSync(join(process.env['COUNTERSIGN_TEST_HOME']!, 'nonces-'));
  server = await openEmbeddedRedis({
    dataDir: home,
    packagesDir: process.env['COUNTERSIGN_TEST_PACKAGES']!,
  });
}, 60_000);
beforeEach(async () => {
  owner = connect();
  await owner.flushall();
});
afterEach(() => {
  for (const connection of connections.splice(0)) connection.disconnect();
});
afterAll(async () => {
  await server?.stop();
  rmSync(home, { recursive: true, force: true });
});

function connect(): Redis {
  const redis = openTestRedis(server.url);
  connections.push(redis);
  return redis;
}

/** That of a gateway that has just started. */
function openStore(isVaultUnused: () => Promise<boolean>): NonceStore {
  return createNonceStore(connect(), createLogger('gateway', 'silent'), isVaultUnused);
}

/** 'taken', or why not. */
async function claim(
  store: NonceStore,
  { nonce = randomBytes(8), timestampMs = BEHIND, now = NOW } = {},
): Promise<string> {
  const refusal = await store.claim(nonce, timestampMs, now);
  return isRefusal(refusal) ? refusal.message : 'taken';
}

const OLDER = expect.stringContaining('older than the memory of used nonces');
const USED = 'the nonce was used before';

describe('a Redis that remembers nothing', () => {
  it('has lost nothing of a vault that was never asked: timestamps of the past are taken, each once', async () => {
    const store = openStore(async () => true);
    const nonce = randomBytes(8);
    expect(await claim(store, { nonce })).toBe('taken');
    expect(await claim(store, { nonce })).toBe(USED);
    // another gateway, which starts when the vault has been used, finds the same memory
    const other = openStore(async () => false);
    expect(await claim(other)).toBe('taken');
    expect(await claim(other, { nonce })).toBe(USED);
  });

  it('has lost what a vault was asked before', async () => {
    const store = openStore(async () => false);
    expect(await claim(store)).toEqual(OLDER);
    expect(await claim(store, { timestampMs: NOW + 1 })).toBe('taken');
  });

  it('is taken to have lost something when nobody can tell', async () => {
    const store = openStore(async () => Promise.reject(new Error('down')));
    expect(await claim(store)).toEqual(OLDER);
    expect(store.isReady).toBe(true);
  });

  it('has lost something when a gateway has seen it remember', async () => {
    const store = openStore(async () => true);
    const nonce = randomBytes(8);
    expect(await claim(store, { nonce })).toBe('taken');
    await owner.flushall();
    await store.renewEpoch(NOW + 1);
    expect(await claim(store, { nonce, now: NOW + 1 })).toEqual(OLDER);
    expect(await claim(store, { now: NOW + 1 })).toEqual(OLDER);
  });

  it('lets nobody in while it is being asked', async () => {
    let answer!: (isUnused: boolean) => void;
    const store = openStore(() => new Promise((resolve) => (answer = resolve)));
    const asking = store.renewEpoch(NOW);
    const claimed = claim(store);
    while (answer === undefined) await owner.ping();
    expect(await owner.keys('countersign:nonce:*')).toEqual([]);
    expect(store.isReady).toBe(false);
    answer(true);
    await asking;
    expect(await claimed).toBe('taken');
  });

  it('is not what was asked about when it has been lost meanwhile', async () => {
    const store = openStore(async () => {
      await owner.flushall();
      await openStore(async () => false).renewEpoch(NOW + 1);
      return true;
    });
    expect(await claim(store, { now: NOW + 2 })).toEqual(OLDER);
  });
});

describe('claims that come at once', () => {
  it('go to Redis as one command, and of the same nonce one is good', async () => {
    const store = openStore(async () => true);
    expect(await claim(store)).toBe('taken');
    const scriptsBefore = await countScripts();
    const nonces = Array.from({ length: 40 }, (_, index) => Buffer.alloc(8, index % 20));
    const answers = await Promise.all(nonces.map((nonce) => claim(store, { nonce })));
    expect(answers).toEqual(nonces.map((_, index) => (index < 20 ? 'taken' : USED)));
    expect((await countScripts()) - scriptsBefore).toBeLessThanOrEqual(3);
    const lifetimes = await Promise.all(
      (await owner.keys('*:nonce:*')).map((key) => owner.pttl(key)),
    );
    expect(Math.min(...lifetimes)).toBeGreaterThan(0);
  });

  it('each with a timestamp of its own, live as long as that can be accepted', async () => {
    const store = openStore(async () => true);
    const ahead = NOW + 4 * 60_000;
    await Promise.all([
      claim(store, { nonce: Buffer.alloc(8, 1) }),
      claim(store, { nonce: Buffer.alloc(8, 2), timestampMs: ahead }),
    ]);
    const lifetimeOf = (byte: number) =>
      owner.pttl(`countersign:nonce:${Buffer.alloc(8, byte).toString('hex')}`);
    const [behind, longer] = [await lifetimeOf(1), await lifetimeOf(2)];
    expect(longer - behind).toBeGreaterThan(3 * 60_000);
  });
});

/** How often a script ran. */
async function countScripts(): Promise<number> {
  const calls = [...(await owner.info('commandstats')).matchAll(/cmdstat_evalsha?:calls=(\d+)/g)];
  return calls.reduce((sum, [, count]) => sum + Number(count), 0);
}
