/** Tells whether requests are being signed: meanwhile, keys that nobody waits for can wait. */
export interface RecentSigning {
  note(): void;
  isSigning(): boolean;
}

/** Without a signing job for this long, a party has time for keys that nobody waits for. */
const IDLE_MS = 10_000;

/** A process that has just started counts as signing. `now`: ms. */
export function createRecentSigning(now: () => number): RecentSigning {
  let lastBatchAt = now();
  return {
    note() {
      lastBatchAt = now();
    },
    isSigning: () => now() - lastBatchAt < IDLE_MS,
  };
}
