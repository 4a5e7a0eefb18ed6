import { setImmediate } from 'node:timers/promises';
import type { EntryRow } from '@countersign/vault/ledger/entry.js';

/** This takes some 10 ms. */
const ENTRIES_PER_TURN = 20;

/**
 * Yields in a long catch-up, which would hold up time-outs and callers on the event loop. Rejects with what `fold`
 * throws.
 */
export async function foldInTurns(
  rows: readonly EntryRow[],
  fold: (rows: readonly EntryRow[]) => void,
): Promise<void> {
  for (let at = 0; at < rows.length; at += ENTRIES_PER_TURN) {
    if (at > 0) await setImmediate();
    fold(rows.slice(at, at + ENTRIES_PER_TURN));
  }
}
