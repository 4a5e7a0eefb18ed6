/**
 * Decides whether one more request of a lane is let in, and how many of them parties have at a time. Both follow from
 * how long recent batches took: that gives a batch's size, its deadline and how long a newcomer would wait. A slow
 * party can distort this by no more than one batch's deadline, and is soon left out (`pair-breakers.ts`).
 *
 * Requests wait here, where callers take turns, and not with the parties. So batches shrink when they take long, and
 * what would wait here for too long is refused before any work is done for it.
 */
import { MAX_BATCH } from '@countersign/runtime/jobs/names.js';
import type { Lane } from '../requests/asked-request.js';
import { TurnCounts } from './caller-turns.js';

export const MAX_IN_FLIGHT = 4;
const FIRST_BATCH: Readonly<Record<Lane, number>> = { quick: MAX_BATCH, rsa: 8 };
/**
 * A batch that takes longer (ms) was too large; one that takes half as long might have been larger. An RSA signature
 * costs the same in any batch.
 */
const BATCH_MS: Readonly<Record<Lane, number>> = { quick: 1_200, rsa: 500 };
/** An RSA signature costs the same in any batch: such bundles are cut. */
const BUNDLE_TIMES = 4;
/** A request that would wait longer (ms) before it leaves is refused: most callers wait for two seconds in all. */
const WAIT_MS = 800;
/** A request for several may wait as long as all of it is answered within this, ms. */
const BUNDLE_MS = 1_500;
/** Weight of the last batch in the moving mean. */
const WEIGHT = 0.2;
/** A batch is given up after `ATTEMPT_MS`, or `ATTEMPT_TIMES` the mean if that is longer. */
const ATTEMPT_MS = 1_500;
const ATTEMPT_TIMES = 2;
/** Bounds memory when no batch comes back. */
const MAX_AHEAD = 20_000;

export interface Load {
  readonly lane: Lane;
  /** Requests by credential that are let in and in no batch: they are on their way to the lane or wait there. */
  readonly ahead: TurnCounts;
  /** How many requests the next batch may have. */
  most: number;
  /** What a batch takes from its departure to its last answer, ms: a moving mean; 0 before the first. */
  tookMs: number;
  /** What a request for several has, in items: a moving mean. */
  bundleItems: number;
}

/** A request for one signature, or for several. */
export type Asks = 'one' | 'several';

export function createLoad(lane: Lane): Load {
  return { lane, ahead: new TurnCounts(), most: FIRST_BATCH[lane], tookMs: 0, bundleItems: 1 };
}

/** Whether one more request of that caller would wait for too long; without `caller`, whether some caller's would. */
export function isOverloaded(load: Load, asks: Asks, caller?: string): boolean {
  const { lane, ahead, most, tookMs } = load;
  const items = itemsOf(load, asks);
  // a batch has whole bundles
  const size = Math.max(items, most - (most % items));
  const waitMs = asks === 'one' ? WAIT_MS : BUNDLE_MS - tookMs;
  // so few requests get nobody refused, whatever held up the batches before them
  const few = Math.max(most, FIRST_BATCH[lane] / 2);
  const isLong = (place: number) =>
    place >= few && (place * tookMs) / (MAX_IN_FLIGHT * size) > waitMs;
  if (ahead.total >= MAX_AHEAD) return true;
  // the last place in the queue waits longest, and counting turns takes time
  return (
    isLong(ahead.total + items - 1) &&
    (caller === undefined || isLong(ahead.placeOf(caller, items)))
  );
}

/** How many items a request has that has not been read. */
export function itemsOf({ bundleItems }: Load, asks: Asks): number {
  return asks === 'one' ? 1 : Math.ceil(bundleItems);
}

/** Notes how many items a request for several had: what comes next is taken to have as many. */
export function noteBundle(load: Load, items: number): void {
  load.bundleItems += WEIGHT * (items - load.bundleItems);
}

/** Notes that a batch of `size` was answered, perhaps late, after so long. */
export function noteBatch(load: Load, size: number, answeredAfterMs: number): void {
  const aimMs = BATCH_MS[load.lane];
  // bounded, so that nobody gets all others refused by answering a batch that was given up long ago
  const tookMs = Math.min(answeredAfterMs, 2 * attemptMs(load));
  // one that takes long for another cause than its size does not make the lane narrow
  const fewest = FIRST_BATCH[load.lane] / 8;
  const fitting = Math.max(fewest, Math.ceil((size * aimMs) / tookMs));
  if (tookMs > aimMs) load.most = Math.min(load.most, fitting);
  // full is what had no room for one more bundle: those are not cut
  else if (size + load.bundleItems > load.most && tookMs < aimMs / 2) {
    load.most = Math.min(MAX_BATCH, load.most + 1);
  }
  load.tookMs += WEIGHT * (tookMs - load.tookMs);
}

/**
 * How many items of one request leave together at most, where batches may have fewer. Each further batch carries the
 * request's evidence again, and the request is answered after the last of them.
 */
export function mostOfBundle({ lane, most }: Load): number {
  return lane === 'rsa' ? most : Math.min(MAX_BATCH, BUNDLE_TIMES * most);
}

/** How long to wait for a batch before it is given up, ms. */
export function attemptMs({ tookMs }: Load): number {
  return Math.max(ATTEMPT_MS, ATTEMPT_TIMES * tookMs);
}
