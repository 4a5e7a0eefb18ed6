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

/** So many in a second, and of as many seconds at once. */
export function sizeOf(perSecond: number, burstS: number): BucketSize {
  return { perSecond, capacity: Math.max(1, perSecond * burstS) };
}
