import { TokenBucket, type BucketSize } from '@countersign/runtime/process/token-bucket.js';

/** Each is some 150 bytes: a flood of addresses takes a few MiB, and no more. */
const MAX_BUCKETS = 16_384;

/**
 * A bucket for each key, in bounded memory: where there are too many the one that was there first makes way, and whoever
 * it belonged to begins anew. So a bucket of one key is no bound on what many keys do together.
 */
export class BucketTable {
  readonly #buckets = new Map<string, TokenBucket>();
  readonly #size: BucketSize;
  readonly #now: () => number;
  readonly #maxBuckets: number;

  /** `now`: ms. */
  constructor(size: BucketSize, now: () => number, maxBuckets = MAX_BUCKETS) {
    this.#size = size;
    this.#now = now;
    this.#maxBuckets = maxBuckets;
  }

  get length(): number {
    return this.#buckets.size;
  }

  bucket(key: string): TokenBucket {
    const known = this.#buckets.get(key);
    if (known !== undefined) return known;
    if (this.#buckets.size >= this.#maxBuckets) {
      this.#buckets.delete(this.#buckets.keys().next().value!);
    }
    const fresh = new TokenBucket(this.#size, this.#now);
    this.#buckets.set(key, fresh);
    return fresh;
  }

  /** As it is, without making one: undefined for a key that was never asked about, or has made way. */
  find(key: string): TokenBucket | undefined {
    return this.#buckets.get(key);
  }
}
