/** How many tokens a bucket can hold, and how many come back each second. */
export interface BucketSize {
  readonly capacity: number;
  readonly perSecond: number;
}

/** Starts full; taken tokens come back at a steady pace. */
export class TokenBucket {
  readonly #size: BucketSize;
  readonly #now: () => number;
  #tokens: number;
  #filledAt: number;

  /** `now`: ms. */
  constructor(size: BucketSize, now: () => number) {
    this.#size = size;
    this.#now = now;
    this.#tokens = size.capacity;
    this.#filledAt = now();
  }

  /** Takes `count` tokens if they are there and `leaving` more; otherwise takes none. Returns whether it did. */
  tryTake(count: number, leaving = 0): boolean {
    this.#fill();
    if (this.#tokens - count < leaving) return false;
    this.#tokens -= count;
    return true;
  }

  /** Seconds until there are `count` tokens, or 0. */
  secondsUntil(count: number): number {
    this.#fill();
    return Math.max(0, count - this.#tokens) / this.#size.perSecond;
  }

  /** Takes up to `wanted` whole tokens, and returns how many. */
  takeUpTo(wanted: number): number {
    this.#fill();
    const count = Math.max(0, Math.min(wanted, Math.floor(this.#tokens)));
    this.#tokens -= count;
    return count;
  }

  /** Tokens beyond the bucket's capacity are lost. */
  give(count: number): void {
    this.#fill();
    this.#tokens = Math.min(this.#size.capacity, this.#tokens + count);
  }

  #fill(): void {
    const now = this.#now();
    // a clock that was set back gives nothing, and takes nothing
    const seconds = Math.max(0, now - this.#filledAt) / 1_000;
    this.#filledAt = now;
    const { capacity, perSecond } = this.#size;
    this.#tokens = Math.min(capacity, this.#tokens + seconds * perSecond);
  }
}
