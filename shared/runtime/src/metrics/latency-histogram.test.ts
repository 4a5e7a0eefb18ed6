import { describe, expect, it } from '@jest/globals';
import { countsSince, LatencyHistogram, percentile, totalOf } from './latency-histogram.js';

function histogramOf(...durations: readonly number[]): LatencyHistogram {
  const histogram = new LatencyHistogram();
  for (const ms of durations) histogram.note(ms);
  return histogram;
}

describe('durations', () => {
  it('are counted by the bound that they do not exceed', () => {
    const { counts, sumMs } = histogramOf(0, 5, 5.1, 2_000, 2_001);
    expect([counts[0], counts[1], counts.at(-2), counts.at(-1)]).toEqual([2, 1, 1, 1]);
    expect(totalOf(counts)).toBe(5);
    expect(sumMs).toBeCloseTo(4_011.1);
  });

  it('have percentiles as exact as the bounds', () => {
    const hundred = histogramOf(...Array.from({ length: 99 }, () => 12), 900);
    expect(percentile(hundred.counts, 0.5)).toBeGreaterThan(10);
    expect(percentile(hundred.counts, 0.5)).toBeLessThanOrEqual(15);
    expect(percentile(hundred.counts, 0.995)).toBeGreaterThan(750);
    expect(percentile(histogramOf(9_000).counts, 0.5)).toBe(2_000);
    expect(percentile(histogramOf().counts, 0.5)).toBeUndefined();
  });

  it('of the last minute are what came since', () => {
    const histogram = histogramOf(1, 1, 700);
    const before = histogram.counts;
    histogram.note(30);
    const since = countsSince(histogram.counts, before);
    expect(totalOf(since)).toBe(1);
    expect(percentile(since, 1)).toBe(30);
  });
});
