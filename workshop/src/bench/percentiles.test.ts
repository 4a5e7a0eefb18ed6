import { describe, expect, test } from '@jest/globals';
import { percentile, percentilesOf } from './percentiles.js';

describe('percentiles', () => {
  test('are values that were seen, by nearest rank', () => {
    const sorted = Array.from({ length: 100 }, (_, index) => index + 1);
    expect([0.5, 0.9, 0.99, 0.999, 1].map((part) => percentile(sorted, part))).toEqual([
      50, 90, 99, 100, 100,
    ]);
    expect(percentile([7], 0.001)).toBe(7);
    expect(percentile([], 0.5)).toBeNaN();
  });

  test('need no order, and sort numbers as numbers', () => {
    expect(percentilesOf([100, 9, 20])).toEqual({
      p50Ms: 20,
      p90Ms: 100,
      p99Ms: 100,
      p999Ms: 100,
      maxMs: 100,
    });
  });
});
