/**
 * Reads the rows that a fold skipped thanks to a snapshot. The fold needs nothing in them. But a database in which
 * somebody rewrote them must be noticed, as by a node that folds them.
 */
import { setImmediate } from 'node:timers/promises';
import { toHex } from '@countersign/core/bytes.js';
import { checkLink } from '@countersign/vault/ledger/fold.js';
import { BrokenChainError } from '@countersign/vault/ledger/ledger-errors.js';
import { EMPTY_STATE } from '@countersign/vault/state/state.js';
import { requireKnown } from './followed-fold.js';
import type { SnapshotPlace } from './fold-snapshots.js';
import type { LedgerStore } from './ledger-store.js';
import { readRows } from './read-rows.js';

export interface EarlierHistory {
  readonly store: Pick<LedgerStore, 'readAfter'>;
  /** Hex, named by the operator. */
  readonly genesisHash: string | undefined;
  /** The place where the fold began. */
  readonly upTo: SnapshotPlace;
  /** Aborted when the answer is no longer wanted. */
  readonly signal: AbortSignal;
}

/**
 * Throws WrongLedgerError or BrokenChainError if the rows do not form a chain from the genesis up to there, and the
 * store's errors.
 */
export async function checkEarlierHistory(history: EarlierHistory): Promise<void> {
  const { store, genesisHash, upTo, signal } = history;
  let { seq, headHash } = EMPTY_STATE;
  for await (const page of readRows(store, 0, upTo.seq)) {
    if (signal.aborted) return;
    for (const row of page) {
      requireKnown(row, genesisHash, undefined);
      checkLink(seq, headHash, row);
      seq = row.seq;
      headHash = toHex(row.hash);
    }
    await setImmediate();
  }
  if (seq !== upTo.seq || headHash !== upTo.hash) {
    throw new BrokenChainError(`entry ${seq} does not lead to entry ${upTo.seq}`);
  }
}
