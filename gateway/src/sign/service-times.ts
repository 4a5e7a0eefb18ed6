/**
 * How long batches of one kind of key take, learned from those that came back. A slow hour makes every pair of parties
 * slow, a slow party only its own two: so what is expected is what the quickest pair of late took, and nobody by
 * dawdling has the others waited for longer.
 */
import type { PartyNumber } from '@countersign/core/parties.js';

export interface ServiceTimes {
  /** By pair of parties. */
  readonly pairs: Map<string, PairTimes>;
}

interface PairTimes {
  /** Moving means over batches: ms, and requests in each. */
  tookMs: number;
  size: number;
  /** When the last of them came back, ms. */
  at: number;
}

export interface BatchTime {
  readonly parties: readonly [PartyNumber, PartyNumber];
  readonly size: number;
  readonly tookMs: number;
}

/** A pair that has come back with nothing for so long says nothing of now, ms. */
const FORGOTTEN_MS = 30_000;
/** What takes longer counts at once, what takes less only little by little. */
const WEIGHT = { longer: 0.5, shorter: 0.1 } as const;
/** So many times what is expected, and a batch is given up; a pair is called slow at more. */
const ATTEMPT_TIMES = 6;
const SHORTEST_ATTEMPT_MS = 1_500;
/** A request can be tried with each pair within its time to live. */
const LONGEST_ATTEMPT_MS = 8_000;

export function createServiceTimes(): ServiceTimes {
  return { pairs: new Map() };
}

/** `now`: ms, when the batch came back, here and below. */
export function learnTime(
  { pairs }: ServiceTimes,
  { parties, size, tookMs }: BatchTime,
  now: number,
): void {
  const name = parties.toSorted((a, b) => a - b).join(' ');
  const known = pairs.get(name);
  if (known === undefined || now - known.at > FORGOTTEN_MS) {
    pairs.set(name, { tookMs, size, at: now });
    return;
  }
  const weight = tookMs > known.tookMs ? WEIGHT.longer : WEIGHT.shorter;
  known.tookMs += weight * (tookMs - known.tookMs);
  known.size += weight * (size - known.size);
  known.at = now;
}

/** How long to wait for a batch before it is given up, ms. */
export function attemptMs(times: ServiceTimes, size: number, now: number): number {
  const expected = recent(times, now).map(
    (pair) => pair.tookMs * Math.max(1, size / Math.max(1, pair.size)),
  );
  if (expected.length === 0) return SHORTEST_ATTEMPT_MS;
  const attempt = ATTEMPT_TIMES * Math.min(...expected);
  return Math.min(LONGEST_ATTEMPT_MS, Math.max(SHORTEST_ATTEMPT_MS, attempt));
}

/** What one request of a batch takes, ms; undefined where nothing came back of late. */
export function eachMs(times: ServiceTimes, now: number): number | undefined {
  const each = recent(times, now).map(({ tookMs, size }) => tookMs / Math.max(1, size));
  return each.length === 0 ? undefined : Math.min(...each);
}

function recent({ pairs }: ServiceTimes, now: number): PairTimes[] {
  return [...pairs.values()].filter(({ at }) => now - at <= FORGOTTEN_MS);
}
