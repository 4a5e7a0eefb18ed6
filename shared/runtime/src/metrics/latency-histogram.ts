/** Upper bounds, ms, from an idle vault's latency to the longest that a caller waits. */
export const LATENCY_BOUNDS_MS = [
  5, 10, 15, 20, 25, 30, 40, 50, 75, 100, 150, 200, 300, 500, 750, 1_000, 1_500, 2_000,
] as const;

/** How many durations lie below each bound; the last count is of those beyond all bounds. */
export type LatencyCounts = readonly number[];

/** Counts durations without keeping them: noting one allocates nothing. */
export class LatencyHistogram {
  readonly #counts = LATENCY_BOUNDS_MS.map(() => 0).concat(0);
  #sumMs = 0;

  note(ms: number): void {
    let index = 0;
    while (index < LATENCY_BOUNDS_MS.length && ms > LATENCY_BOUNDS_MS[index]!) index += 1;
    this.#counts[index]! += 1;
    this.#sumMs += ms;
  }

  /** A copy of the counts since the start. */
  get counts(): LatencyCounts {
    return [...this.#counts];
  }

  get sumMs(): number {
    return this.#sumMs;
  }
}

/** Counts between two looks at one histogram. */
export function countsSince(now: LatencyCounts, before: LatencyCounts): LatencyCounts {
  return now.map((count, index) => count - (before[index] ?? 0));
}

export function totalOf(counts: LatencyCounts): number {
  return counts.reduce((sum, count) => sum + count, 0);
}

/**
 * The duration, ms, that `share` (0 to 1) of them did not exceed, as exactly as the bounds tell. Durations are assumed
 * to lie evenly within a bucket; beyond the last bound, that bound is returned. Undefined for no durations.
 */
export function percentile(counts: LatencyCounts, share: number): number | undefined {
  const total = totalOf(counts);
  if (total === 0) return undefined;
  let left = share * total;
  for (const [index, upper] of LATENCY_BOUNDS_MS.entries()) {
    const count = counts[index]!;
    const lower = LATENCY_BOUNDS_MS[index - 1] ?? 0;
    if (count > 0 && left <= count) return lower + (upper - lower) * (left / count);
    left -= count;
  }
  return LATENCY_BOUNDS_MS.at(-1);
}
