import { EventEmitter } from 'node:events';
import { afterEach, beforeEach, describe, expect, it, jest } from '@jest/globals';
import type { Redis } from 'ioredis';
import { openNonceRenewal } from './nonce-renewal.js';

let renewedAt: number[];
let isAway: boolean;
let redis: EventEmitter;
let renewal: { stop(): void };

beforeEach(() => {
  jest.useFakeTimers({ now: 0 });
  renewedAt = [];
  isAway = false;
  redis = new EventEmitter();
  const nonces = {
    async renewEpoch(now: number) {
      renewedAt.push(now);
      if (isAway) throw new Error('no Redis');
    },
  };
  renewal = openNonceRenewal(redis as unknown as Redis, nonces, Date.now);
});

afterEach(() => {
  renewal.stop();
  jest.useRealTimers();
});

describe('the epoch of the nonce memory', () => {
  it('is renewed once a second', async () => {
    await jest.advanceTimersByTimeAsync(2_000);
    expect(renewedAt).toEqual([1_000, 2_000]);
  });

  it('is renewed at once when Redis is there again', async () => {
    await jest.advanceTimersByTimeAsync(100);
    redis.emit('ready');
    expect(renewedAt).toEqual([100]);
  });

  it('is renewed on and on while Redis is away', async () => {
    isAway = true;
    redis.emit('ready');
    await jest.advanceTimersByTimeAsync(2_000);
    expect(renewedAt).toEqual([0, 1_000, 2_000]);
  });

  it('is left alone after a stop', async () => {
    renewal.stop();
    await jest.advanceTimersByTimeAsync(1_000);
    expect(renewedAt).toEqual([]);
  });
});
