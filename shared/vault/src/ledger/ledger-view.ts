/** What a fold takes, shows and saves, as types alone. */
import type { PartyNumber } from '@countersign/core/parties.js';
import type { EvidenceKeys } from '@countersign/core/evidence-seal.js';
import type { Countersignature } from '@countersign/core/party-statements.js';
import type { VaultState } from '../state/state.js';
import type { EntryRow } from './entry.js';
import type { EntryFacts, EntryOutcome, RowChange } from './entry-outcome.js';
import type { Rules } from './judging.js';
import type { LoggedEntry } from './entry-types.js';
import type { LedgerPlace } from './place-types.js';

/** The ledger as far as it has been folded. Immutable: later folding does not change it. */
export interface LedgerView {
  /** The state in force: everything that two parties have countersigned. `seq` and `headHash` are the head's. */
  readonly state: VaultState;
  /** The state in force with all that still waits: it may deny, never allow. */
  readonly optimistic: VaultState;
  /** Entries that wait for two countersignatures, in order. */
  readonly pending: readonly LoggedEntry[];
  /** The newest valid one of each party. */
  readonly countersignatures: ReadonlyMap<PartyNumber, Countersignature>;
  /** The entry up to which each party has said that it obeys. */
  readonly acknowledged: ReadonlyMap<PartyNumber, number>;
  /** The version of the rules by which the newest judged entry was judged. */
  readonly rules: number;
  /** The state in force at one of the last places (hash in hex); undefined for another history, or too long ago. */
  at(seq: number, hash: string): LedgerPlace | undefined;
  /** The hash (hex) of one of the last places; undefined where it lies too far back. */
  hashAt(seq: number): string | undefined;
}

/** What a fold at a place needs to go on from there: `snapshots/saved-fold.ts` writes it down. */
export interface SavedFold {
  /** The state in force; `seq` and `headHash` are the place's. */
  readonly state: VaultState;
  /** The version of the rules by which the newest judged entry was judged. */
  readonly rules: number;
  readonly countersignatures: ReadonlyMap<PartyNumber, Countersignature>;
  readonly acknowledged: ReadonlyMap<PartyNumber, number>;
  /** The time by which the newest outcome is listed, ms: no later outcome is listed earlier. */
  readonly toldAt: number;
}

export interface Fold {
  readonly view: LedgerView;
  /**
   * Outcomes in the order of the ledger: an entry's outcome comes once it is judged. Throws BrokenChainError and
   * UnknownRulesError. After that, the fold is not used again.
   */
  advance(rows: readonly EntryRow[]): EntryOutcome[];
  /** Undefined while something waits to be judged. */
  save(): SavedFold | undefined;
  /**
   * Goes on from a saved fold, before any row was taken. `last`: the rows from `firstPlaceKept` on up to the saved
   * place. Throws BrokenChainError if they do not lead to it.
   */
  resume(saved: SavedFold, last: readonly EntryRow[]): void;
}

export interface FoldOptions {
  readonly keys: EvidenceKeys;
  readonly rules?: readonly Rules[];
  /** How a change altered rows, for outcomes that people read (`findRowChanges`). */
  readonly findChanges?: FindChanges;
}

export type FindChanges = (
  before: VaultState,
  after: VaultState,
  facts: Pick<EntryFacts, 'subject' | 'decided'>,
) => readonly RowChange[];
