/** Long work on the event loop that serves everybody: in short turns, with as long a rest behind each. */
import { performance } from 'node:perf_hooks';
import { setTimeout as sleep } from 'node:timers/promises';

/** A request that comes meanwhile waits no longer than this, and what one step takes beyond it. */
export const TURN_MS = 4;

export interface ShareClock {
  /** ms that only ever grow. */
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
