/**
 * By which rules entries are judged. The version under which an entry was judged stands in the ledger, with
 * the countersignatures: a release keeps every version that it ever had and never reads an old entry anew.
 * Whoever changes what an entry means adds a version.
 */
import type { VaultState } from '../state/state.js';
import type { EntryFacts } from './entry-outcome.js';
import type { LoggedEntry } from './logged-entry.js';
import { rulesVersion1 } from './rules-version-1.js';

export interface Rules {
  readonly version: number;
  /** Pure, synchronous and deterministic: no clock, no I/O, no randomness, no catalogue. */
  judge(state: VaultState, entry: LoggedEntry, moment: Moment): Judgement;
}

export interface Moment {
  /**
   * The time by which a request must be fresh, ms: the later of two parties' clocks. Undefined while nobody has
   * judged: then no request is stale.
   */
  readonly clock: number | undefined;
  /** The time that is written down, ms. */
  readonly at: number;
}

export interface Judgement {
  /** Absent when the entry is refused, and changes nothing. */
  readonly state?: VaultState;
  readonly facts: EntryFacts;
}

/** All that this release has, the oldest first. */
export const RULES: readonly Rules[] = [rulesVersion1];

export const NEWEST_RULES = Math.max(...RULES.map(({ version }) => version));
