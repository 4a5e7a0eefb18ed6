import { setImmediate } from 'node:timers/promises';
import type { EntryRow } from '@countersign/vault/ledger/entry.js';

/** Some 10 ms of work. */
const ENTRIES_PER_TURN = 20;

/** A long catch-up must not hold the event loop: time-outs and callers wait behind it. Rejects with what `fold` throws. */
export async function foldInTurns(
  rows: readonly EntryRow[],
  fold: (rows: readonly EntryRow[]) => void,
): Promise<void> {
  for (let at = 0; at < rows.length; at += ENTRIES_PER_TURN) {
    if (at > 0) await setImmediate();
    fold(rows.slice(at, at + ENTRIES_PER_TURN));
  }
}
