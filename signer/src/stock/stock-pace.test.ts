import { describe, expect, it } from '@jest/globals';
import {
  afterCalledRun,
  afterFailure,
  afterStored,
  FIRST_PACE,
  isPaused,
  type StockPace,
} from './stock-pace.js';

const NOW = 1_000_000;

/** Pauses (s) after failures in a row. */
function pausesOf(count: number, isCaller: boolean): number[] {
  let pace: StockPace = FIRST_PACE;
  return Array.from({ length: count }, () => {
    pace = afterFailure(pace, NOW, isCaller);
    return (pace.pausedUntil - NOW) / 1_000;
  });
}

describe('the pace of stock', () => {
  it('begins without a pause', () => {
    expect(isPaused(FIRST_PACE, 0)).toBe(false);
  });

  it('slows down with every failure, up to five minutes', () => {
    expect(pausesOf(9, true)).toEqual([4, 8, 16, 32, 64, 128, 256, 300, 300]);
  });

  it('is twice as quick for whoever joins', () => {
    expect(pausesOf(9, false)).toEqual([2, 4, 8, 16, 32, 64, 128, 150, 150]);
  });

  it('ends a pause at its moment, not before', () => {
    const pace = afterFailure(FIRST_PACE, NOW, true);
    expect([NOW, NOW + 3_999, NOW + 4_000].map((now) => isPaused(pace, now))).toEqual([
      true,
      true,
      false,
    ]);
  });

  it('begins anew once a key was stored', () => {
    const slow = afterFailure(afterFailure(FIRST_PACE, NOW, true), NOW, true);
    const { pausedUntil } = afterFailure(afterStored(slow), NOW, true);
    expect(pausedUntil).toBe(NOW + 4_000);
  });

  it('leaves a moment after a run that was called, and remembers failures', () => {
    const failed = afterFailure(FIRST_PACE, NOW, true);
    const pace = afterCalledRun(failed, NOW + 60_000);
    expect(pace).toEqual({ pausedUntil: NOW + 62_000, pauseMs: 8_000 });
  });
});
