/**
 * What a party that has lost its own memory may begin with: a history that other nodes remember. A database that shows
 * it another one is found out by the pins of those nodes.
 */
import { toHex } from '@countersign/core/bytes.js';
import { requireKnown, WrongLedgerError } from '@countersign/runtime/ledger/followed-fold.js';
import type { LedgerPin } from '@countersign/runtime/ledger/ledger-pin.js';
import type { LedgerStore } from '@countersign/runtime/ledger/ledger-store.js';
import { readRows } from '@countersign/runtime/ledger/read-rows.js';
import { checkLink } from '@countersign/vault/ledger/fold.js';
import { EMPTY_STATE } from '@countersign/vault/state/state.js';

/**
 * The newest of the pins (`genesisHash`: hex). Throws WrongLedgerError or BrokenChainError where the ledger is no chain from the
 * genesis through every one of them; and what the store throws.
 */
export async function newestKnown(
  store: Pick<LedgerStore, 'readAfter'>,
  genesisHash: string,
  pins: readonly LedgerPin[],
): Promise<LedgerPin> {
  const last = Math.max(...pins.map(({ seq }) => seq));
  const reached = await readChain(store, genesisHash, last, pins);
  if (reached.seq < last) {
    throw new WrongLedgerError(
      `the ledger ends at entry ${reached.seq}, and a pin is of entry ${last}`,
    );
  }
  return reached;
}

/** The head of the ledger as the database shows it: for a vault in which nobody has a pin any more. */
export function headShown(
  store: Pick<LedgerStore, 'readAfter'>,
  genesisHash: string,
): Promise<LedgerPin> {
  return readChain(store, genesisHash, Number.MAX_SAFE_INTEGER, []);
}

/** In one pass: a database that answers twice may answer differently. */
async function readChain(
  store: Pick<LedgerStore, 'readAfter'>,
  genesisHash: string,
  last: number,
  pins: readonly LedgerPin[],
): Promise<LedgerPin> {
  let { seq, headHash: hash } = EMPTY_STATE;
  for await (const page of readRows(store, 0, last)) {
    for (const row of page) {
      for (const pinned of [undefined, ...pins]) requireKnown(row, genesisHash, pinned);
      checkLink(seq, hash, row);
      seq = row.seq;
      hash = toHex(row.hash);
    }
  }
  if (seq === 0) throw new WrongLedgerError('the ledger has no genesis');
  return { genesisHash, seq, hash };
}
