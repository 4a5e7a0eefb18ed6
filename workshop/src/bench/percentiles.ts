/**
 * Percentiles of latencies, from all of them: a run has thousands, so nothing has to be put into buckets, and
 * a percentile is a latency that was seen.
 */

export interface Percentiles {
  readonly p50Ms: number;
  readonly p90Ms: number;
  readonly p99Ms: number;
  readonly p999Ms: number;
  readonly maxMs: number;
}

/**
 * Nearest rank: the smallest value that at least this part of them (0 to 1) does not exceed. NaN of none.
 */
export function percentile(sorted: readonly number[], part: number): number {
  const rank = Math.max(Math.ceil(part * sorted.length), 1);
  return sorted[Math.min(rank, sorted.length) - 1] ?? Number.NaN;
}

export function percentilesOf(latenciesMs: readonly number[]): Percentiles {
  const sorted = latenciesMs.toSorted((one, other) => one - other);
  return {
    p50Ms: percentile(sorted, 0.5),
    p90Ms: percentile(sorted, 0.9),
    p99Ms: percentile(sorted, 0.99),
    p999Ms: percentile(sorted, 0.999),
    maxMs: percentile(sorted, 1),
  };
}
