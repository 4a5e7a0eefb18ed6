/**
 * What this process itself signed for, bucket by bucket: the floor under what a database says that forgets or lies. It
 * begins empty with the process; the party's rows are the longer memory, and that of its other replicas.
 */
import { decimalUnits } from '@countersign/core/decimal.js';
import type { LimitClaim } from '@countersign/vault/policy/velocity.js';

/** A claim of one request. */
export interface RequestClaim extends LimitClaim {
  readonly requestId: string;
}

export interface OwnCounts {
  /** Counts the claim, unless its limit has no room for it: a request counts once, whatever often it is asked for. */
  take(claim: RequestClaim, now: number): boolean;
  /** What was taken came to nothing; nothing left this process for it. */
  giveBack(claim: RequestClaim): void;
}

interface Counted {
  readonly units: bigint;
  readonly at: number;
  /** Attempts that may come to a signature. */
  readonly holders: number;
}

interface Bucket {
  /** By request id, in the order of their moments. */
  readonly counted: Map<string, Counted>;
  total: bigint;
}

/** Of all buckets together. Beyond it the oldest bucket is forgotten, and the party's rows alone count it. */
const MAX_COUNTED = 500_000;

export function createOwnCounts(maxCounted = MAX_COUNTED): OwnCounts {
  const buckets = new Map<string, Bucket>();
  let size = 0;

  function remove(bucket: Bucket, requestId: string): void {
    const known = bucket.counted.get(requestId);
    if (known === undefined) return;
    bucket.counted.delete(requestId);
    bucket.total -= known.units;
    size -= 1;
  }

  function add(bucket: Bucket, requestId: string, counted: Counted): void {
    bucket.counted.set(requestId, counted);
    bucket.total += counted.units;
    size += 1;
  }

  function forgetBefore(bucket: Bucket, since: number): void {
    for (const [requestId, { at }] of bucket.counted) {
      if (at > since) return;
      remove(bucket, requestId);
    }
  }

  /** The bucket, as the one that was used last. */
  function touch(name: string): Bucket {
    const bucket = buckets.get(name) ?? { counted: new Map<string, Counted>(), total: 0n };
    buckets.delete(name);
    buckets.set(name, bucket);
    return bucket;
  }

  function forgetOldest(): void {
    const [name, bucket] = buckets.entries().next().value!;
    size -= bucket.counted.size;
    buckets.delete(name);
  }

  return {
    take({ bucket: name, requestId, amount, limit, windowMs }, now) {
      const bucket = touch(name);
      forgetBefore(bucket, now - windowMs);
      const known = bucket.counted.get(requestId);
      const asked = decimalUnits(amount);
      if (bucket.total - (known?.units ?? 0n) + asked > decimalUnits(limit)) return false;
      remove(bucket, requestId);
      const units = known !== undefined && known.units > asked ? known.units : asked;
      add(bucket, requestId, { units, at: now, holders: (known?.holders ?? 0) + 1 });
      while (size > maxCounted && buckets.size > 1) forgetOldest();
      return true;
    },
    giveBack({ bucket: name, requestId }) {
      const bucket = buckets.get(name);
      const known = bucket?.counted.get(requestId);
      if (bucket === undefined || known === undefined) return;
      if (known.holders === 1) remove(bucket, requestId);
      else bucket.counted.set(requestId, { ...known, holders: known.holders - 1 });
    },
  };
}
