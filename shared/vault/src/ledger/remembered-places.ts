/** What a fold remembers of the last places of its ledger: their hashes, and the states in force there. */
import { HEADS_KEPT } from './party-statement.js';
import type { LedgerPlace, RememberedPlaces } from './place-types.js';

/**
 * For how many changes back states are remembered. A state shares most of itself with the next, yet keeps alive what
 * only it has: kept as long as hashes, they made up half of a node's memory. Rows that change nothing push none of
 * them out.
 */
export const STATES_KEPT = 512;

export function rememberPlaces(): RememberedPlaces {
  const hashes = new Map<number, string>();
  /** Each was in force from `since` on, until the next. */
  const changes: (LedgerPlace & { readonly since: number })[] = [];

  return {
    add(seq, hash, place) {
      hashes.set(seq, hash);
      hashes.delete(seq - HEADS_KEPT - 1);
      if (place === undefined) return;
      const { state, rules } = place;
      const last = changes.at(-1);
      if (last?.state === state && last.rules === rules) return;
      changes.push({ since: seq, state, rules });
      if (changes.length > STATES_KEPT) changes.shift();
    },
    hashAt: (seq) => hashes.get(seq),
    at(seq, hash) {
      if (hashes.get(seq) !== hash) return undefined;
      const place = changes.findLast(({ since }) => since <= seq);
      return place && { state: { ...place.state, seq, headHash: hash }, rules: place.rules };
    },
  };
}

/** The first of the places whose hashes a fold at `seq` remembers. */
export function firstPlaceKept(seq: number): number {
  return Math.max(1, seq - HEADS_KEPT);
}
