import type { EntryRow } from '@countersign/vault/ledger/entry.js';
import type { LedgerStore } from './ledger-store.js';

/** Rows in a page of the ledger. */
export const PAGE = 2_000;
/** A page of the largest rows is read well within a store's time limit. */
export const PAGE_BYTES = 4 * 1024 * 1024;

/** Pages of the rows after `after` up to `last`, in order. Ends early if the ledger does. */
export async function* readRows(
  store: Pick<LedgerStore, 'readAfter'>,
  after: number,
  last: number,
): AsyncGenerator<readonly EntryRow[]> {
  let at = after;
  while (at < last) {
    const page = await store.readAfter(at, Math.min(PAGE, last - at), PAGE_BYTES);
    const end = page.at(-1)?.seq ?? at;
    // the reader finds rows that are out of order; they must not make this go on for ever
    if (end <= at) return;
    yield page;
    at = end;
  }
}
