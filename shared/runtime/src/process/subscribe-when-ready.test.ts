import { EventEmitter } from 'node:events';
import { describe, expect, it, jest } from '@jest/globals';
import { subscribeWhenReady } from './subscribe-when-ready.js';

describe('a subscription', () => {
  it('is made on a connection that is ready, and on no other', async () => {
    const asked: string[] = [];
    const redis = Object.assign(new EventEmitter(), {
      status: 'connect',
      async subscribe(channel: string) {
        asked.push(`${redis.status} ${channel}`);
      },
    });
    const subscribed = subscribeWhenReady(redis, 'a channel', () => undefined);
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

  it('is asked for again where Redis refuses it', async () => {
    const refusals: unknown[] = [];
    let asked = 0;
    const redis = Object.assign(new EventEmitter(), {
      status: 'ready',
      async subscribe() {
        asked += 1;
        if (asked <= 2) throw new Error('BUSY');
      },
    });
    jest.useFakeTimers();
    const subscribed = subscribeWhenReady(redis, 'a channel', (error) => refusals.push(error));
    await jest.advanceTimersByTimeAsync(2_500);
    await subscribed;
    jest.useRealTimers();
    expect([asked, refusals.length]).toEqual([3, 2]);
  });
});
