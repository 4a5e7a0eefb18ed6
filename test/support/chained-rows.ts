/** Rows of a ledger, chained as the database does it. Loads no catalogue: what is folded must not depend on one. */
import { entryHash } from '@countersign/core/entry-hash.js';
import { GENESIS_PREV_HASH, type EntryRow } from '@countersign/vault/ledger/entry.js';

/** The row that follows: sequence number, hashes and all. */
export function nextRow(previous: EntryRow | undefined, body: Uint8Array): EntryRow {
  const seq = (previous?.seq ?? 0) + 1;
  const prevHash = previous?.hash ?? GENESIS_PREV_HASH;
  return { seq, prevHash, hash: entryHash(seq, prevHash, body), body };
}

/** The chain that an attacker who can write everything would make of these bodies, `after` a row if it is given. */
export function rechain(bodies: readonly Uint8Array[], after?: EntryRow): EntryRow[] {
  const rows: EntryRow[] = [];
  for (const body of bodies) rows.push(nextRow(rows.at(-1) ?? after, body));
  return rows;
}
