/** What judging an entry takes and gives, whatever the version of the rules. */
import type { LedgerOperation } from '../operations/ledger-operation.js';
import type { VaultState } from '../state/state.js';
import type { EvidenceKeys } from '@countersign/core/evidence-seal.js';
import type { DecidedRequest, EntryFacts } from './entry-outcome.js';
import type { LoggedEntry } from './logged-entry.js';

export interface Rules {
  readonly version: number;
  /** By which requests are judged; no two have the same `id`. */
  readonly operations: readonly LedgerOperation[];
  /** Pure, synchronous and deterministic: no clock, no I/O, no randomness, no catalogue. */
  judge(state: VaultState, entry: LoggedEntry, moment: Moment): Judgement;
  /** What has come due of what waits, or is over, without an entry of its own; undefined for nothing. */
  settleDue(state: VaultState, due: Due): Settlement | undefined;
}

export interface Due {
  /** What two parties say the time is, ms. */
  readonly at: number;
  /** The newest state: what it has ended or stopped does not take effect. */
  readonly optimistic: VaultState;
  readonly derive: EvidenceKeys['derive'];
}

export interface Settlement {
  readonly state: VaultState;
  readonly decided: readonly DecidedRequest[];
  /** Ids of requests whose time was over. */
  readonly ended?: readonly string[];
  /** The kind of error that was thrown: then the state is as it was. */
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
}

export interface Judgement {
  /** Absent when the entry is refused, and changes nothing. */
  readonly state?: VaultState;
  readonly facts: EntryFacts;
}
