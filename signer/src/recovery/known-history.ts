/**
 * A party that has lost its own memory may begin with a history that other nodes remember. If a database shows it
 * another one, the pins of those nodes give it away.
 */
import { toHex } from '@countersign/core/bytes.js';
import { requireKnown, WrongLedgerError } from '@countersign/runtime/ledger/followed-fold.js';
import type { LedgerPin } from '@countersign/runtime/ledger/ledger-pin.js';
import type { LedgerStore } from '@countersign/runtime/ledger/ledger-store.js';
import { readRows } from '@countersign/runtime/ledger/read-rows.js';
import type { EntryRow } from '@countersign/vault/ledger/entry.js';
import { checkLink } from '@countersign/vault/ledger/fold.js';
import { EMPTY_STATE } from '@countersign/vault/state/state.js';

export interface KnownHistory {
  readonly store: Pick<LedgerStore, 'readAfter'>;
  /** Hex, given by the operator. */
  readonly genesisHash: string;
  /** Heads that other nodes have relied on. */
  readonly pins: readonly LedgerPin[];
  /** Takes the rows in their order. */
  readonly onRows?: (rows: readonly EntryRow[]) => void;
}

/**
 * Returns the head of the ledger. Throws WrongLedgerError or BrokenChainError where the rows are no chain from the
 * genesis through every pin, and what the store throws. It reads once: a database that is asked twice may answer
 * differently.
 */
export async function readKnownHistory({
  store,
  genesisHash,
  pins,
  onRows,
}: KnownHistory): Promise<LedgerPin> {
  let { seq, headHash: hash } = EMPTY_STATE;
  for await (const page of readRows(store, 0, Number.MAX_SAFE_INTEGER)) {
    for (const row of page) {
      for (const pinned of [undefined, ...pins]) requireKnown(row, genesisHash, pinned);
      checkLink(seq, hash, row);
      seq = row.seq;
      hash = toHex(row.hash);
    }
    onRows?.(page);
  }
  const last = Math.max(1, ...pins.map((pin) => pin.seq));
  if (seq < last) {
    throw new WrongLedgerError(`the ledger ends at entry ${seq}, and a pin is of entry ${last}`);
  }
  return { genesisHash, seq, hash };
}
