import { describe, expect, test } from '@jest/globals';
import { orderOfRound, ratioInterval } from './ratio-interval.js';

describe('the interval of a ratio', () => {
  test('is as wide as the pairs scatter, by Student', () => {
    // logarithms of 1, 2 and 4: mean ln 2, standard deviation ln 2, and t = 4.303 for two degrees of freedom
    const { mean, low, high } = ratioInterval([
      [10, 10],
      [40, 20],
      [4, 1],
    ])!;
    const half = (4.303 * Math.LN2) / Math.sqrt(3);
    expect(mean).toBeCloseTo(2, 12);
    expect(low).toBeCloseTo(2 * Math.exp(-half), 12);
    expect(high).toBeCloseTo(2 * Math.exp(half), 12);
  });

  test('is a point where the pairs agree, however much the machine changes', () => {
    const pairs = [1, 2, 7, 100].map((speed) => [3 * speed, 2 * speed] as const);
    const { mean, low, high } = ratioInterval(pairs)!;
    for (const value of [mean, low, high]) expect(value).toBeCloseTo(1.5, 12);
  });

  test('turned around is turned around', () => {
    const pairs = [
      [3, 2],
      [5, 2],
      [4, 3],
    ] as const;
    const there = ratioInterval(pairs)!;
    const back = ratioInterval(pairs.map(([one, other]) => [other, one] as const))!;
    expect(back.mean * there.mean).toBeCloseTo(1, 12);
    expect(back.low! * there.high!).toBeCloseTo(1, 12);
  });

  test('of one pair has no bounds, and there is none of nothing', () => {
    expect(ratioInterval([[3, 2]])).toEqual({ mean: 1.5 });
    expect(ratioInterval([])).toBeUndefined();
    expect(ratioInterval([[3, 0]])).toBeUndefined();
    expect(ratioInterval([[0, 3]])).toBeUndefined();
  });

  test('of many pairs grows no wider than 20 degrees of freedom', () => {
    const pairs = Array.from({ length: 50 }, (_, index) => [index % 2 === 0 ? 1 : 4, 2] as const);
    const { low, high } = ratioInterval(pairs)!;
    expect(low).toBeGreaterThan(0.8);
    expect(high).toBeLessThan(1.25);
  });
});

test('rounds go back and forth', () => {
  expect([0, 1, 2].map((round) => orderOfRound(['a', 'b', 'c'], round).join(''))).toEqual([
    'abc',
    'cba',
    'abc',
  ]);
});
