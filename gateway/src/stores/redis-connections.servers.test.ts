import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { createLogger } from '@countersign/runtime/process/logger.js';
import { openTcpProxy, type TcpProxy } from '../../../test/support/tcp-proxy.ts';
import { openTestServers, type TestServers } from '../../../test/support/test-servers.ts';
import type { Redis } from 'ioredis';
import { openRedis } from './redis-connections.js';

let servers: TestServers;
let proxy: TcpProxy;

beforeAll(async () => {
  servers = await openTestServers('vault');
  proxy = await openTcpProxy(servers.redis.url);
}, 60_000);
afterAll(async () => {
  await proxy?.close();
  await servers?.close();
}, 60_000);

/** Not `once` of Node, which fails at errors that are told before. */
const event = (redis: Redis, name: string) =>
  new Promise((resolve) => void redis.once(name, (...given: unknown[]) => resolve(given)));

it('each connection notices within seconds that nobody is at the other end any more', async () => {
  const redis = openRedis(proxy.url, createLogger('test', 'fatal'));
  try {
    await redis.subscriber.subscribe('a channel');
    proxy.silence();
    const before = performance.now();
    await Promise.all([event(redis.subscriber, 'close'), event(redis.commands, 'close')]);
    expect(performance.now() - before).toBeLessThan(20_000);
    proxy.heal();
    const heard = event(redis.subscriber, 'message');
    await event(redis.subscriber, 'ready');
    // it is ready a moment before it has its subscriptions again
    const speaking = setInterval(() => {
      redis.commands.publish('a channel', 'a message').catch(() => undefined);
    }, 100);
    expect(await heard).toEqual(['a channel', 'a message']);
    clearInterval(speaking);
  } finally {
    redis.close();
  }
}, 60_000);
