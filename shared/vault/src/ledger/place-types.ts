/** Types of the places of a ledger that a fold remembers. */
import type { VaultState } from '../state/state.js';

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
