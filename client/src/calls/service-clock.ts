/** The clock of the service, as far as a machine with another one believes what it is told of it. */

export interface ServiceClock {
  /** ms since the Unix epoch. */
  now(): number;
  /**
   * What the service said that its clock is. False where that is too far off to be believed; otherwise what is signed from
   * here on has the service's time.
   */
  correct(serverTimeMs: number): boolean;
}

/**
 * Who can answer in the service's place, behind its TLS, can have requests dated this much ahead, keep them, and show them
 * to the service then. A clock that is further off is for its owner to repair.
 */
const MAX_CORRECTION_MS = 60 * 60_000;
/** The service takes 5 minutes, so that nobody who is nearer is refused for it. */
const MIN_CORRECTION_MS = 60_000;
/** The service tells its time to the second, cut off. */
const MEAN_CUT_MS = 500;

/** `machineNow`: ms since the Unix epoch. However often it is corrected, it is never further off than once. */
export function createServiceClock(machineNow: () => number): ServiceClock {
  let aheadMs = 0;
  return {
    now: () => machineNow() + aheadMs,
    correct(serverTimeMs) {
      const saidMs = serverTimeMs + MEAN_CUT_MS - machineNow();
      if (Math.abs(saidMs) > MAX_CORRECTION_MS) return false;
      if (Math.abs(saidMs - aheadMs) > MIN_CORRECTION_MS) aheadMs = saidMs;
      return true;
    },
  };
}
