import { EventEmitter } from 'node:events';
import { describe, expect, it } from '@jest/globals';
import type { Redis } from 'ioredis';
import { retryDelayMs, subscribe } from './open-redis.js';

describe('a connection to Redis that was lost', () => {
  it('is tried again at once, then less often, and at least every second for ever', () => {
    expect([1, 2, 10, 20, 21, 1_000_000].map(retryDelayMs)).toEqual([
      50, 100, 500, 1_000, 1_000, 1_000,
    ]);
  });
});

describe('a subscription', () => {
  it('is made on a connection that is ready, and on no other', async () => {
    const asked: string[] = [];
    const redis = Object.assign(new EventEmitter(), {
      status: 'connect',
      async subscribe(channel: string) {
        asked.push(`${redis.status} ${channel}`);
      },
    });
    const subscribed = subscribe(redis as unknown as Redis, 'a channel');
    await Promise.resolve();
    expect(asked).toEqual([]);
    redis.on('error', () => undefined).emit('error', new Error('refused'));
    redis.emit('ready'); // and lost again at once
    await Promise.resolve();
    redis.status = 'ready';
    redis.emit('ready');
    await subscribed;
    expect(asked).toEqual(['ready a channel']);
  });
});
