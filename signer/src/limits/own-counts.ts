/**
 * What this process itself signed for, bucket by bucket. A database that forgets or lies cannot lower these counts.
 * They begin empty with the process; the party's rows remember longer, and for its other replicas.
 */
import { decimalUnits } from '@countersign/core/decimal.js';
import { decimalOf } from '@countersign/core/decimal-arithmetic.js';
import type { LimitClaim, LimitRoom } from '@countersign/vault/policy/velocity.js';

export interface RequestClaim extends LimitClaim {
  readonly requestId: string;
}

export interface OwnCounts {
  /** Counts the claim, unless its limit has no room for it. A request counts once, however often it is asked for. */
  take(claim: RequestClaim, now: number): boolean;
  /** Takes back a claim that came to nothing: nothing left this process for it. */
  giveBack(claim: RequestClaim): void;
  /** What is left at most, and when there may be room for the claim: others may have used more. Changes nothing. */
  roomOf(claim: RequestClaim, now: number): LimitRoom;
}

/** Rows that are looked at for one answer: who floods a used limit must not cost more. */
const MOST_LOOKED_AT = 1_000;

interface Counted {
  readonly units: bigint;
  readonly at: number;
  /** Attempts that may come to a signature. */
  readonly holders: number;
}

/** Counts what one limit counts together. */
class Bucket {
  /** By request id, in the order of their moments. */
  readonly #counted = new Map<string, Counted>();
  #total = 0n;

  get size(): number {
    return this.#counted.size;
  }

  forgetUntil(moment: number): void {
    for (const [requestId, { at }] of this.#counted) {
      if (at > moment) return;
      this.#remove(requestId);
    }
  }

  take({ requestId, amount, limit }: RequestClaim, at: number): boolean {
    const known = this.#counted.get(requestId) ?? { units: 0n, holders: 0 };
    const asked = decimalUnits(amount);
    if (this.#total - known.units + asked > decimalUnits(limit)) return false;
    this.#remove(requestId);
    const units = known.units > asked ? known.units : asked;
    this.#counted.set(requestId, { units, at, holders: known.holders + 1 });
    this.#total += units;
    return true;
  }

  roomOf({ amount, limit, windowMs }: RequestClaim, now: number): LimitRoom {
    const left = decimalUnits(limit) - this.#total;
    const text = decimalOf(left > 0n ? left : 0n);
    let missing = decimalUnits(amount) - left;
    if (missing <= 0n) return { left: text };
    let looked = 0;
    for (const { units, at } of this.#counted.values()) {
      missing -= units;
      const leavesAt = at + windowMs;
      if (missing <= 0n) return { left: text, notBeforeS: secondsUntil(leavesAt, now) };
      looked += 1;
      if (looked === MOST_LOOKED_AT) return { left: text, notBeforeS: secondsUntil(leavesAt, now) };
    }
    return { left: text };
  }

  giveBack(requestId: string): void {
    const known = this.#counted.get(requestId);
    if (known === undefined) return;
    if (known.holders === 1) this.#remove(requestId);
    else this.#counted.set(requestId, { ...known, holders: known.holders - 1 });
  }

  #remove(requestId: string): void {
    this.#total -= this.#counted.get(requestId)?.units ?? 0n;
    this.#counted.delete(requestId);
  }
}

function secondsUntil(moment: number, now: number): number {
  return Math.max(1, Math.ceil((moment - now) / 1_000));
}

/**
 * The most counted in all buckets together. Beyond it the oldest bucket is forgotten, and the party's rows alone count
 * it.
 */
const MAX_COUNTED = 500_000;

export function createOwnCounts(maxCounted = MAX_COUNTED): OwnCounts {
  const buckets = new Map<string, Bucket>();
  let size = 0;

  /** Returns the bucket, and marks it as the one used last. */
  function touch(name: string): Bucket {
    const bucket = buckets.get(name) ?? new Bucket();
    buckets.delete(name);
    buckets.set(name, bucket);
    return bucket;
  }

  function forgetOldest(): void {
    const [name, bucket] = buckets.entries().next().value!;
    size -= bucket.size;
    buckets.delete(name);
  }

  return {
    take(claim, now) {
      const bucket = touch(claim.bucket);
      const before = bucket.size;
      bucket.forgetUntil(now - claim.windowMs);
      const isTaken = bucket.take(claim, now);
      size += bucket.size - before;
      while (size > maxCounted && buckets.size > 1) forgetOldest();
      return isTaken;
    },
    roomOf(claim, now) {
      return buckets.get(claim.bucket)?.roomOf(claim, now) ?? { left: claim.limit };
    },
    giveBack({ bucket: name, requestId }) {
      const bucket = buckets.get(name);
      if (bucket === undefined) return;
      const before = bucket.size;
      bucket.giveBack(requestId);
      size += bucket.size - before;
    },
  };
}
