/**
 * A fold with what its node knows of it: when it was last seen to be at the head, why it stopped, and who
 * waits for something to show in it. It reads no database; `ledger-follower.ts` brings it the entries.
 *
 * What is folded shows once it is pinned. Where the disk does not take the pin it shows all the same, for a freeze must
 * be obeyed; `pinnedSeq` tells whether something may rest on it: not on a head that a restart forgets.
 */
import type { EntryOutcome } from '@countersign/vault/ledger/entry-outcome.js';
import type { EntryRow } from '@countersign/vault/ledger/entry.js';
import type { Fold, LedgerView } from '@countersign/vault/ledger/fold.js';
import { BrokenChainError } from '@countersign/vault/ledger/ledger-errors.js';
import type { VaultState } from '@countersign/vault/state/state.js';
import { toHex } from '@countersign/core/bytes.js';
import { openHeadPinner, type HeadPinner } from './head-pinner.js';
import type { LedgerPin } from './ledger-pin.js';

export type OutcomeListener = (outcomes: readonly EntryOutcome[], view: LedgerView) => void;

export interface FollowedFoldOptions {
  readonly fold: Pick<Fold, 'view' | 'advance'>;
  /** The hash of the genesis that its operator gave this node, hex; undefined as long as there is none. */
  readonly genesisHash: () => string | undefined;
  /** What this node relied on before it started. */
  readonly pinned: LedgerPin | undefined;
  /** Makes a head durable; undefined for a node that rests on the pins of another. */
  readonly pin: ((pin: LedgerPin) => Promise<void>) | undefined;
  /** Before a node without a pin makes its first: throws for a ledger that it must have had one of. */
  readonly requireNew?: ((view: LedgerView) => void) | undefined;
  onFault(fault: Error): void;
  /** The newest head could not be pinned for some seconds. */
  onPinTrouble(reason: string): void;
}

/** The ledger is not the one this node knows. */
export class WrongLedgerError extends Error {}

export class FollowedFold {
  readonly #options: FollowedFoldOptions;
  readonly #listeners: OutcomeListener[] = [];
  readonly #waiters = new Set<() => void>();
  readonly #pinner: HeadPinner | undefined;
  #view: LedgerView;
  #untold: EntryOutcome[] = [];
  #mayPin: boolean;
  #confirmedAt = Number.NEGATIVE_INFINITY;
  #fault: Error | undefined;

  constructor(options: FollowedFoldOptions) {
    this.#options = options;
    this.#view = options.fold.view;
    this.#mayPin = options.pinned !== undefined;
    const { pin: write, pinned, onPinTrouble: onTrouble } = options;
    const onRival = (error: Error) => void this.stop(error);
    this.#pinner = write && openHeadPinner({ pinned, write, onRival, onTrouble });
  }

  get view(): LedgerView {
    return this.#view;
  }

  /** When (ms) a read that began then showed nothing beyond the fold; never, once the fold has stopped. */
  get confirmedAt(): number {
    return this.#fault === undefined ? this.#confirmedAt : Number.NEGATIVE_INFINITY;
  }

  /** Why the fold stopped. It never goes on again. */
  get fault(): Error | undefined {
    return this.#fault;
  }

  /** Up to which entry something new may rest on the ledger; without bound for a node that rests on the pins of another. */
  get pinnedSeq(): number {
    return this.#pinner?.seq ?? Infinity;
  }

  /** Why the newest head is not pinned; undefined while it is, or is about to be. */
  get pinTrouble(): string | undefined {
    return this.#pinner?.trouble;
  }

  /** A read that began at `startedAt` (ms) found nothing beyond the fold. Throws when a pinned head is missing. */
  confirm(startedAt: number): void {
    const { pinned } = this.#options;
    const { seq } = this.#view.state;
    if (pinned !== undefined && seq < pinned.seq) {
      throw this.stop(
        new WrongLedgerError(
          `the ledger ends at entry ${seq}, and this node has relied on entry ${pinned.seq}: was it rolled back?`,
        ),
      );
    }
    this.#confirmedAt = startedAt;
  }

  /** Folds the entries that follow. Nothing shows of them yet. Throws, and stops for good, at one that cannot be. */
  fold(rows: readonly EntryRow[]): void {
    try {
      const { genesisHash, pinned } = this.#options;
      for (const row of rows) requireKnown(row, genesisHash(), pinned);
      this.#untold.push(...this.#options.fold.advance(rows));
    } catch (error) {
      throw this.stop(error);
    }
  }

  /**
   * Pins what was folded, and shows it. A node without a pin makes its first of a whole ledger alone: a part of it does not
   * show whether the node has lost one. Throws, and stops for good, where it has, or where another process pins for this node.
   */
  async publish(isHead = true): Promise<void> {
    const { view } = this.#options.fold;
    const { seq, headHash: hash, genesisHash } = view.state;
    if (genesisHash !== '' && isHead) this.#requireNew(view);
    if (genesisHash !== '' && this.#mayPin) await this.#pinner?.pin({ genesisHash, seq, hash });
    if (this.#fault !== undefined) throw this.#fault;
    try {
      const outcomes = this.#untold;
      this.#untold = [];
      this.#view = view;
      for (const listener of this.#listeners) listener(outcomes, view);
    } catch (error) {
      throw this.stop(error);
    } finally {
      for (const waiter of this.#waiters) waiter();
    }
  }

  #requireNew(view: LedgerView): void {
    if (this.#mayPin || this.#options.pin === undefined) return;
    try {
      this.#options.requireNew?.(view);
      this.#mayPin = true;
    } catch (error) {
      throw this.stop(error);
    }
  }

  /** Gives the error back, as one that can be thrown. */
  stop(error: unknown): Error {
    const fault = error instanceof Error ? error : new Error(String(error));
    this.#fault = fault;
    this.close();
    this.#options.onFault(fault);
    for (const waiter of this.#waiters) waiter();
    return fault;
  }

  /** Nothing more is pinned. */
  close(): void {
    this.#pinner?.stop();
  }

  onOutcomes(listener: OutcomeListener): void {
    this.#listeners.push(listener);
  }

  /** Whether the fold came to hold what is asked before the time ran out, or the fold stopped. */
  waitUntil(
    holds: (state: VaultState, view: LedgerView) => boolean,
    timeoutMs: number,
  ): Promise<boolean> {
    if (holds(this.#view.state, this.#view)) return Promise.resolve(true);
    if (this.#fault !== undefined) return Promise.resolve(false);
    return new Promise((resolve) => {
      const finish = (result: boolean) => {
        clearTimeout(timer);
        this.#waiters.delete(check);
        resolve(result);
      };
      const check = () => {
        if (holds(this.#view.state, this.#view)) finish(true);
        else if (this.#fault !== undefined) finish(false);
      };
      const timer = setTimeout(() => finish(false), timeoutMs);
      this.#waiters.add(check);
    });
  }
}

/** Throws WrongLedgerError for a log that is another than its operator's, or than the one that was relied on. */
export function requireKnown(
  { seq, hash }: EntryRow,
  genesisHash: string | undefined,
  pinned: LedgerPin | undefined,
): void {
  if (seq === 1 && toHex(hash) !== genesisHash) {
    throw new WrongLedgerError(
      'the ledger has another genesis than the one that this node was given',
    );
  }
  if (seq === 1 && pinned !== undefined && toHex(hash) !== pinned.genesisHash) {
    throw new WrongLedgerError('the ledger has another genesis than the one that is pinned');
  }
  if (seq === pinned?.seq && toHex(hash) !== pinned.hash) {
    throw new WrongLedgerError(
      `the ledger does not contain entry ${seq} as this node has relied on it: was it rolled back?`,
    );
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
