import { describe, expect, it } from '@jest/globals';
import { retryDelayMs } from './open-redis.js';

describe('a connection to Redis that was lost', () => {
  it('is tried again at once, then less often, and at least every second for ever', () => {
    expect([1, 2, 10, 20, 21, 1_000_000].map(retryDelayMs)).toEqual([
      50, 100, 500, 1_000, 1_000, 1_000,
    ]);
  });
});
