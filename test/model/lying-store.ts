/** A store that lies: its log is a tree, and each node is shown whichever branch suits it. */
import { toHex } from '@countersign/core/bytes.js';
import { entryHash } from '@countersign/core/entry-hash.js';
import { GENESIS_PREV_HASH, type EntryRow } from '@countersign/vault/ledger/entry.js';

/** An entry somewhere in the tree. Its sequence number is its depth. */
export interface Place {
  readonly row: EntryRow;
  readonly before: Place | undefined;
}

export class LyingStore {
  readonly #byHash = new Map<string, Place>();
  /** The ends of all branches, the one that grew last at the end. */
  readonly ends: Place[] = [];

  /** A log of its own begins without `before`. The same entry at the same place is the same place. */
  append(before: Place | undefined, body: Uint8Array): Place {
    const seq = (before?.row.seq ?? 0) + 1;
    const prevHash = before?.row.hash ?? GENESIS_PREV_HASH;
    const hash = entryHash(seq, prevHash, body);
    const known = this.#byHash.get(toHex(hash));
    if (known !== undefined) return known;
    const place = { row: { seq, prevHash, hash, body }, before };
    this.#byHash.set(toHex(hash), place);
    const grown = this.ends.findIndex((end) => end === before);
    if (grown >= 0) this.ends.splice(grown, 1);
    this.ends.push(place);
    return place;
  }

  /** `hash`: hex. */
  find(hash: string): Place | undefined {
    return this.#byHash.get(hash);
  }
}

/** All rows up to a place, the first one first. */
export function rowsUpTo(place: Place): EntryRow[] {
  const rows: EntryRow[] = [];
  for (let at: Place | undefined = place; at !== undefined; at = at.before) rows.push(at.row);
  return rows.toReversed();
}

/** Whether `early` lies on the path to `late`, or is the same. */
export function isUpTo(early: Place, late: Place): boolean {
  for (let at: Place | undefined = late; at !== undefined; at = at.before) {
    if (at.row.seq === early.row.seq) return at === early;
  }
  return false;
}

export function areOnOnePath(a: Place, b: Place): boolean {
  return isUpTo(a, b) || isUpTo(b, a);
}
