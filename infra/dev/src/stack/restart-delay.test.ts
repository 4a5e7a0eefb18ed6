import { describe, expect, test } from '@jest/globals';
import { attemptAfter, restartDelayMs } from './restart-delay.js';

describe('a program that keeps dying', () => {
  test('waits longer after each short run, up to half a minute, and is never given up', () => {
    let attempt = 0;
    const delays = Array.from({ length: 10 }, () => {
      attempt = attemptAfter(attempt, 59_999);
      return restartDelayMs(attempt);
    });
    expect(delays).toEqual([250, 500, 1e3, 2e3, 4e3, 8e3, 16e3, 30e3, 30e3, 30e3]);
    expect(restartDelayMs(100_000)).toBe(30_000);
  });

  test('begins anew after a run of a minute', () => {
    expect(attemptAfter(9, 60_000)).toBe(1);
    expect(attemptAfter(9, 59_999)).toBe(10);
  });
});
