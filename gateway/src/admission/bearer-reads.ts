/**
 * Limits reads with a credential alone from addresses where nothing valid was ever signed. Whoever has the credential
 * may read, so nobody can tell the owner from a thief. All these addresses together get one credential's rate. Half of
 * it is reserved for addresses that have had no more than a tenth: so one that takes all it can keeps no other from
 * reading.
 */
import type { BucketSize } from '@countersign/runtime/process/token-bucket.js';
import { createBucketTable, sizeOf } from './bucket-table.js';

const BURST_S = 2;
const SHARES = 10;

export interface BearerReads {
  /** Takes room for one more; whether there was any. */
  tryTake(callerId: string, source: string): boolean;
  /** Exact for an address that had less than its tenth; others may have to wait longer. */
  secondsUntil(callerId: string): number;
}

/** `perSecond`: of one credential. `now`: ms. */
export function createBearerReads(perSecond: number, now: () => number): BearerReads {
  const size: BucketSize = sizeOf(perSecond, BURST_S);
  const ofAll = createBucketTable(size, now);
  const shares = createBucketTable(sizeOf(perSecond / SHARES, BURST_S), now);
  return {
    tryTake(callerId, source) {
      const isModest = shares.row(`${callerId} ${source}`).tryTake(1);
      return ofAll.row(callerId).tryTake(1, isModest ? 0 : size.capacity / 2);
    },
    secondsUntil: (callerId) => ofAll.row(callerId).secondsUntil(1),
  };
}
