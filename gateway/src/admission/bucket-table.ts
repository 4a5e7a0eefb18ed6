import { TokenBucket, type BucketSize } from '@countersign/runtime/process/token-bucket.js';
import { BoundedTable } from './bounded-table.js';

export type BucketTable = BoundedTable<TokenBucket>;

/** A bucket for each key. `now`: ms. */
export function createBucketTable(
  size: BucketSize,
  now: () => number,
  maxBuckets?: number,
): BucketTable {
  return new BoundedTable(() => new TokenBucket(size, now), maxBuckets);
}

/** Allows so many a second, and a burst of so many seconds' worth. */
export function sizeOf(perSecond: number, burstS: number): BucketSize {
  return { perSecond, capacity: Math.max(1, perSecond * burstS) };
}
