import { describe, expect, it } from '@jest/globals';
import { chartPath, roundTop } from './chart-path.js';

const FRAME = { width: 100, height: 10, places: 5, most: 10 };

describe('the path of a chart', () => {
  it('has the newest value at the right end', () => {
    expect(chartPath([0, 5, 10], FRAME)).toBe('M50 10h0L75 5L100 0');
  });

  it('leaves a gap where nothing was measured', () => {
    expect(chartPath([1, null, 10, 0], FRAME)).toBe('M25 9h0M75 0h0L100 10');
    expect(chartPath([null, null], FRAME)).toBe('');
  });

  it('of one value is a dot', () => {
    expect(chartPath([5], FRAME)).toBe('M100 5h0');
  });
});

it.each([
  [[], 1],
  [[null, 0.3], 1],
  [[1.5], 2],
  [[2.1, 1], 5],
  [[7], 10],
  [[10], 10],
  [[214.6], 500],
])('the top over %j is %d', (values, top) => {
  expect(roundTop(values)).toBe(top);
});
