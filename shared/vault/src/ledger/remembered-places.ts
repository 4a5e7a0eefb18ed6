/** What a fold remembers of the last places of its ledger: their hashes, and the states in force there. */
import type { VaultState } from '../state/state.js';
import { HEADS_KEPT } from './party-statement.js';

/**
 * For how many changes back states are remembered. A state shares most of itself with the next, yet keeps alive what
 * only it has: kept as long as hashes, they made up half of a node's memory. Rows that change nothing push none of
 * them out.
 */
export const STATES_KEPT = 512;

export interface LedgerPlace {
  readonly state: VaultState;
  /** The version of the rules that judged the newest judged entry there. */
  readonly rules: number;
}

export interface RememberedPlaces {
  /** Adds places in the order of the ledger. `hash`: hex. Of those before a saved fold only the hash is known. */
  add(seq: number, hash: string, place: LedgerPlace | undefined): void;
  /** Hex; undefined where it lies too far back. */
  hashAt(seq: number): string | undefined;
  /** The state in force; undefined for another hash, or too long ago. */
  at(seq: number, hash: string): LedgerPlace | undefined;
}

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
