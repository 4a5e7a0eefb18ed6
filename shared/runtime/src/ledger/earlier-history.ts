/**
 * The rows that a snapshot spared a fold: nothing in them matters to it any more, and they are read all the same. A
 * database in which somebody rewrote them is to be noticed as it is by a node that folds them.
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
  /** Hex, of the operator. */
  readonly genesisHash: string | undefined;
  /** Where the fold began. */
  readonly upTo: SnapshotPlace;
  /** Nobody wants to know any more. */
  readonly signal: AbortSignal;
}

/** Throws WrongLedgerError or BrokenChainError for rows that are no chain from the genesis to there; and what the store throws. */
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
