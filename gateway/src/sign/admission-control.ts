/**
 * Whether one more request of a lane is let in, and how much of it parties have at a time. All of that follows from how long
 * batches took of late: what a batch may hold, how long it is waited for, and how long a newcomer would wait. A party that
 * dawdles moves that by what a batch is waited for at most, and is soon left out (`pair-breakers.ts`).
 *
 * Whoever is to wait waits here, where callers take turns, and not with the parties: so batches become smaller where they
 * take long, and what would wait here for too long is refused before anything is done for it.
 */
import { MAX_BATCH } from '@countersign/runtime/jobs/names.js';
import type { Lane } from '../requests/asked-request.js';
import { TurnCounts } from './caller-turns.js';

export const MAX_IN_FLIGHT = 4;
const FIRST_BATCH: Readonly<Record<Lane, number>> = { quick: MAX_BATCH, rsa: 8 };
/** A batch that takes longer was too large, ms; one that takes half of it might have been larger. An RSA signature costs the same in any batch. */
const BATCH_MS: Readonly<Record<Lane, number>> = { quick: 1_200, rsa: 500 };
/** What would wait for longer before it leaves is refused, ms: most callers wait for two seconds in all. */
const WAIT_MS = 800;
/** Of what batches took, how much the last one counts. */
const WEIGHT = 0.2;
/** A batch is given up after so long at the earliest, ms, and not before it took so many times what others do. */
const ATTEMPT_MS = 1_500;
const ATTEMPT_TIMES = 2;
/** Bounds memory where no batch comes back. */
const MAX_AHEAD = 20_000;

export interface Load {
  readonly lane: Lane;
  /** By credential: those that are let in and in no batch, on their way to the lane or waiting there. */
  readonly ahead: TurnCounts;
  /** How many requests the next batch may have. */
  most: number;
  /** What a batch takes from its departure to its last answer, ms: a moving mean; 0 before the first. */
  tookMs: number;
}

export function createLoad(lane: Lane): Load {
  return { lane, ahead: new TurnCounts(), most: FIRST_BATCH[lane], tookMs: 0 };
}

/** Whether one more request of that caller would wait for too long; of some caller or other where none is named. */
export function isOverloaded({ ahead, most, tookMs }: Load, caller?: string): boolean {
  const isLong = (place: number) =>
    place >= most && (place * tookMs) / (MAX_IN_FLIGHT * most) > WAIT_MS;
  if (ahead.total >= MAX_AHEAD) return true;
  // whoever is behind all others waits longest, and to count turns takes time
  return isLong(ahead.total) && (caller === undefined || isLong(ahead.placeOf(caller)));
}

/** A batch of so many was answered, be it late, after so long, ms. */
export function noteBatch(load: Load, size: number, answeredAfterMs: number): void {
  const aimMs = BATCH_MS[load.lane];
  // nobody by an answer to what was given up long ago has all others refused
  const tookMs = Math.min(answeredAfterMs, 2 * attemptMs(load));
  if (tookMs > aimMs) load.most = Math.min(load.most, Math.ceil((size * aimMs) / tookMs));
  else if (size >= load.most && tookMs < aimMs / 2) load.most = Math.min(MAX_BATCH, load.most + 1);
  load.tookMs += WEIGHT * (tookMs - load.tookMs);
}

/** How long to wait for a batch before it is given up, ms. */
export function attemptMs({ tookMs }: Load): number {
  return Math.max(ATTEMPT_MS, ATTEMPT_TIMES * tookMs);
}
