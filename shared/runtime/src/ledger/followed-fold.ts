/**
 * A fold, with what its node knows of it: when it was last seen to be at the head, why it stopped, and who waits for
 * something in it. It reads no database; `ledger-follower.ts` brings it the entries.
 *
 * Folded entries show once they are pinned. If the disk does not take the pin they show all the same, because a freeze
 * must be obeyed. `pinnedSeq` tells up to where something new may rest on them: not on a head that a restart forgets.
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
  /** The hash of the genesis that its operator gave this node, hex; undefined until there is one. */
  readonly genesisHash: () => string | undefined;
  /** The head that this node relied on before it started. */
  readonly pinned: LedgerPin | undefined;
  /** Makes a head durable; undefined for a node that relies on another's pins. */
  readonly pin: ((pin: LedgerPin) => Promise<void>) | undefined;
  /** Called before a node without a pin makes its first. Throws for a ledger that it must have had a pin of. */
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

  /** When (ms) a read began that showed nothing beyond the fold; never, once the fold has stopped. */
  get confirmedAt(): number {
    return this.#fault === undefined ? this.#confirmedAt : Number.NEGATIVE_INFINITY;
  }

  /** Why the fold stopped. It never goes on again. */
  get fault(): Error | undefined {
    return this.#fault;
  }

  /** The last entry on which something new may rest; without bound for a node that relies on another's pins. */
  get pinnedSeq(): number {
    return this.#pinner?.seq ?? Infinity;
  }

  /** Why the newest head is not pinned; undefined while it is, or is about to be. */
  get pinTrouble(): string | undefined {
    return this.#pinner?.trouble;
  }

  /**
   * Notes that a read begun at `startedAt` (ms) found nothing beyond the fold. Throws when a pinned head is missing.
   */
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

  /** Folds the entries that follow, without showing them yet. If one cannot be folded, throws and stops for good. */
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
   * Pins what was folded, and shows it. A node without a pin makes its first only of a whole ledger: a part of one
   * does not show whether the node has lost a pin. Throws, and stops for good, if it has, or if another process pins
   * for this node.
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

  /** Whether this node has a vault and has yet to make its first pin of it. */
  get hasNoPin(): boolean {
    const isPinning = this.#options.pin !== undefined;
    return isPinning && !this.#mayPin && this.#view.state.genesisHash !== '';
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

  /** Returns the error, as one that can be thrown. */
  stop(error: unknown): Error {
    const fault = error instanceof Error ? error : new Error(String(error));
    this.#fault = fault;
    this.close();
    this.#options.onFault(fault);
    for (const waiter of this.#waiters) waiter();
    return fault;
  }

  /** Pins nothing more. */
  close(): void {
    this.#pinner?.stop();
  }

  onOutcomes(listener: OutcomeListener): void {
    this.#listeners.push(listener);
  }

  /** Whether the fold came to hold what is asked before the time ran out or the fold stopped. */
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

/** Throws WrongLedgerError if the log is not the operator's, or not the one that was relied on. */
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
 * The rows after the head, out of rows that were read from the head on. Throws BrokenChainError when they do not begin
 * with it: the ledger was rolled back.
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
