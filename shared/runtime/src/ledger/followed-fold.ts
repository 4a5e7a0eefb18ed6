/**
 * A fold with what its node knows of it: when it was last seen to be at the head, why it stopped, and who
 * waits for something to show in it. It reads no database; `ledger-follower.ts` brings it the entries.
 */
import { toHex } from '@countersign/core/bytes.js';
import { TIMESTAMP_WINDOW_MS } from '@countersign/vault/authentication/authenticate.js';
import { hasSignedDate, type EntryOutcome } from '@countersign/vault/ledger/apply-entry.js';
import type { EntryRow } from '@countersign/vault/ledger/entry.js';
import { BrokenChainError, type Fold } from '@countersign/vault/ledger/fold.js';
import type { VaultState } from '@countersign/vault/state/state.js';

export type OutcomeListener = (outcomes: readonly EntryOutcome[], state: VaultState) => void;

export interface FollowedFoldOptions {
  readonly fold: Fold;
  /** This node's clock (ms), which new entries must agree with; undefined: their dates are not watched. */
  readonly watchedClock: (() => number) | undefined;
  onFault(fault: Error): void;
}

export class FollowedFold {
  readonly #fold: Fold;
  readonly #watchedClock: (() => number) | undefined;
  readonly #onFault: (fault: Error) => void;
  readonly #listeners: OutcomeListener[] = [];
  readonly #waiters = new Set<() => void>();
  #confirmedAt = Number.NEGATIVE_INFINITY;
  #fault: Error | undefined;

  constructor({ fold, watchedClock, onFault }: FollowedFoldOptions) {
    this.#fold = fold;
    this.#watchedClock = watchedClock;
    this.#onFault = onFault;
  }

  get state(): VaultState {
    return this.#fold.state;
  }

  /** When (ms) a read that began then showed nothing beyond the fold; never, once the fold has stopped. */
  get confirmedAt(): number {
    return this.#fault === undefined ? this.#confirmedAt : Number.NEGATIVE_INFINITY;
  }

  /** Why the fold stopped. It never goes on again. */
  get fault(): Error | undefined {
    return this.#fault;
  }

  /** A read that began at `startedAt` (ms) found nothing beyond the fold. */
  confirm(startedAt: number): void {
    this.#confirmedAt = startedAt;
  }

  /** Folds the entries that follow the head. Throws, and stops for good, at one that cannot be. */
  take(rows: readonly EntryRow[]): void {
    try {
      const outcomes = this.#fold.advance(rows);
      // what was there before this node was up to date was appended when it could not look
      const clock = this.#confirmedAt === Number.NEGATIVE_INFINITY ? undefined : this.#watchedClock;
      if (clock !== undefined) for (const outcome of outcomes) requireDate(outcome, clock());
      for (const listener of this.#listeners) listener(outcomes, this.state);
    } catch (error) {
      throw this.stop(error);
    } finally {
      for (const waiter of this.#waiters) waiter();
    }
  }

  /** Gives the error back, as one that can be thrown. */
  stop(error: unknown): Error {
    const fault = error instanceof Error ? error : new Error(String(error));
    this.#fault = fault;
    this.#onFault(fault);
    return fault;
  }

  onOutcomes(listener: OutcomeListener): void {
    this.#listeners.push(listener);
  }

  /** Whether the fold came to hold what is asked before the time ran out, or the fold stopped. */
  waitUntil(holds: (state: VaultState) => boolean, timeoutMs: number): Promise<boolean> {
    if (holds(this.state)) return Promise.resolve(true);
    return new Promise((resolve) => {
      const finish = (result: boolean) => {
        clearTimeout(timer);
        this.#waiters.delete(check);
        resolve(result);
      };
      const check = () => {
        if (holds(this.state)) finish(true);
        else if (this.#fault !== undefined) finish(false);
      };
      const timer = setTimeout(() => finish(false), timeoutMs);
      this.#waiters.add(check);
    });
  }
}

/** Throws for an entry whose date lies far from this node's `now` (ms). */
function requireDate(outcome: EntryOutcome, now: number): void {
  // of a party's word nobody signs the date: one wrong clock must not stop the other parties
  if (outcome.refusal !== undefined || !hasSignedDate(outcome.kind)) return;
  if (Math.abs(now - outcome.at) > TIMESTAMP_WINDOW_MS) {
    throw new Error(`entry ${outcome.seq} is dated far from this node's clock`);
  }
}

/**
 * What follows the head in rows that were read from the head on. Throws BrokenChainError when they do not
 * begin with it: the ledger was rolled back.
 */
export function rowsBeyond(
  { seq, headHash }: Pick<VaultState, 'seq' | 'headHash'>,
  rows: readonly EntryRow[],
): EntryRow[] {
  const [head, ...beyond] = rows;
  if (head?.seq !== seq || toHex(head.hash) !== headHash) {
    throw new BrokenChainError(`entry ${seq} is no longer in the ledger`);
  }
  return beyond;
}
