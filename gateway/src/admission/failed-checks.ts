/**
 * Counts signature checks that failed: by named caller and address, and by caller alone. Whoever sends wrong signatures
 * from one address locks nobody out at another. Whoever has many addresses gets as many checks as ten of them.
 */
import { createBucketTable, sizeOf } from './bucket-table.js';
import type { Attempt } from './attempt.js';

/** Ten seconds' worth: somebody who mistypes a setting tries again and again. */
const ADDRESS_BURST_S = 10;
const BURST_S = 2;
const ADDRESSES_AT_ONCE = 10;

export interface FailedChecks {
  /**
   * Seconds until another signature of this attempt may be checked; 0: now. What others sent does not hold up a proven
   * address.
   */
  secondsUntilNext(attempt: Attempt, isProven: (attempt: Attempt) => boolean): number;
  note(attempt: Attempt): void;
  forgive(attempt: Attempt): void;
}

/** `perAddress`: in a second. `now`: ms. */
export function createFailedChecks(perAddress: number, now: () => number): FailedChecks {
  const ofAddress = createBucketTable(sizeOf(perAddress, ADDRESS_BURST_S), now);
  const ofAll = createBucketTable(sizeOf(perAddress * ADDRESSES_AT_ONCE, BURST_S), now);
  return {
    secondsUntilNext(attempt, isProven) {
      const all = ofAll.find(keyOf(attempt));
      if (all === undefined) return 0; // nobody has failed
      const seconds = ofAddress.find(addressKeyOf(attempt))?.secondsUntil(1) ?? 0;
      if (seconds > 0) return seconds;
      const others = all.secondsUntil(1);
      return others > 0 && isProven(attempt) ? 0 : others;
    },
    note(attempt) {
      ofAddress.row(addressKeyOf(attempt)).tryTake(1);
      ofAll.row(keyOf(attempt)).tryTake(1);
    },
    forgive(attempt) {
      ofAddress.find(addressKeyOf(attempt))?.give(1);
      ofAll.find(keyOf(attempt))?.give(1);
    },
  };
}

/** Neither an id nor a source has a space, and no id begins with a dash. */
function keyOf({ callerId = '-', isBrake }: Attempt): string {
  return isBrake ? `${callerId} freeze` : callerId;
}

function addressKeyOf(attempt: Attempt): string {
  return `${keyOf(attempt)} ${attempt.source}`;
}
