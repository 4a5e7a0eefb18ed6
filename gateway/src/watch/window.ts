import { countsSince, type LatencyCounts } from '@countersign/runtime/metrics/latency-histogram.js';
import { RESULTS, type RequestTally, type Result } from '../http/request-tally.js';
import { openTicks } from '@countersign/runtime/process/ticks.js';

/** The counts of a tally at some time. */
export interface Looked {
  /** ms */
  readonly at: number;
  readonly latency: LatencyCounts;
  readonly results: Readonly<Record<Result, number>>;
  /** By `refusalKey`. */
  readonly refusals: ReadonlyMap<string, number>;
}

/** How many looks are kept, so that the oldest is about a minute old. */
const LOOKS = 13;
const EVERY_MS = 5_000;

/** The last minute of a tally, which it reads every five seconds. `now`: ms. */
export function openWindow(
  tally: RequestTally,
  now: () => number,
): { since(): { readonly before: Looked; readonly after: Looked }; stop(): void } {
  const looks = [look(tally, now())];
  const ticks = openTicks(EVERY_MS, () => {
    looks.push(look(tally, now()));
    if (looks.length > LOOKS) looks.shift();
  });
  return {
    since: () => ({ before: looks[0]!, after: look(tally, now()) }),
    stop: ticks.stop,
  };
}

/** Reads the counts so far. */
export function look({ routes, signing }: RequestTally, at: number): Looked {
  const results = Object.fromEntries(RESULTS.map((result) => [result, 0])) as Record<
    Result,
    number
  >;
  const refusals = new Map<string, number>();
  for (const { method, path, signs, results: ended, reasons } of routes) {
    for (const [reason, count] of reasons) refusals.set(`${method} ${path} ${reason}`, count);
    if (signs === undefined) continue;
    for (const [result, count] of ended) results[result] += count;
  }
  return { at, latency: signing.counts, results, refusals };
}

/** The difference between two looks. */
export function between(before: Looked, after: Looked) {
  const results = Object.fromEntries(
    RESULTS.map((result) => [result, after.results[result] - before.results[result]]),
  ) as Record<Result, number>;
  const refusals = [...after.refusals].map(([key, total]) => {
    const cut = key.lastIndexOf(' ');
    const count = total - (before.refusals.get(key) ?? 0);
    return { operation: key.slice(0, cut), reason: key.slice(cut + 1), count, total };
  });
  const seconds = Math.max(1, (after.at - before.at) / 1_000);
  return { seconds, latency: countsSince(after.latency, before.latency), results, refusals };
}
