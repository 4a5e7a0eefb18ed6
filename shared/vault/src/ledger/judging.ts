/** The types of judging an entry, whatever the version of the rules. */
import type { LedgerOperation } from '../operations/ledger-operation.js';
import type { VaultState } from '../state/state.js';
import type { EvidenceKeys } from '@countersign/core/evidence-seal.js';
import type { DecidedRequest, EntryFacts } from './entry-outcome.js';
import type { LoggedEntry } from './logged-entry.js';

export interface Rules {
  readonly version: number;
  /** Requests are judged by these; no two have the same `id`. */
  readonly operations: readonly LedgerOperation[];
  /** Pure, synchronous and deterministic: no clock, no I/O, no randomness, no catalogue. */
  judge(state: VaultState, entry: LoggedEntry, moment: Moment): Judgement;
  /** Carries out or ends waiting requests that came due, without an entry of their own; undefined for none. */
  settleDue(state: VaultState, due: Due): Settlement | undefined;
}

export interface Due {
  /** The time on which two parties agree, ms. */
  readonly at: number;
  /** The newest state: a request that is ended or stopped in it does not take effect. */
  readonly optimistic: VaultState;
  readonly derive: EvidenceKeys['derive'];
}

export interface Settlement {
  readonly state: VaultState;
  readonly decided: readonly DecidedRequest[];
  /** Ids of requests whose time was over. */
  readonly ended?: readonly string[];
  /** The kind of error that was thrown, after which the state is unchanged. */
  readonly fault?: string;
}

export interface Moment {
  /**
   * The time by which a request must be fresh, ms: the later of two parties' clocks. Undefined while nobody has
   * judged: then no request is stale.
   */
  readonly clock: number | undefined;
  /** The time that is written down, ms. */
  readonly at: number;
  /** Where in the ledger the entry is judged: it takes effect for heads from here on. */
  readonly place: number;
}

export interface Judgement {
  /** Absent if the entry is refused. */
  readonly state?: VaultState;
  readonly facts: EntryFacts;
}
