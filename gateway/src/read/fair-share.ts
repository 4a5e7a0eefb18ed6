/** Splits long work on the shared event loop into short turns, with as long a rest after each. */
import { performance } from 'node:perf_hooks';
import { setTimeout as sleep } from 'node:timers/promises';

/** Other requests wait no longer than this, plus what one step exceeds it by. */
export const TURN_MS = 4;

export interface ShareClock {
  /** Monotonic, ms. */
  now(): number;
  sleep(ms: number): Promise<unknown>;
}

const CLOCK: ShareClock = { now: () => performance.now(), sleep };

/** To be called between steps: resolves at once within a turn, and after a rest when it is over. */
export function createFairShare(clock: ShareClock = CLOCK): () => Promise<void> {
  let begunAt = clock.now();
  return async () => {
    if (clock.now() - begunAt < TURN_MS) return;
    await clock.sleep(TURN_MS);
    begunAt = clock.now();
  };
}
