/** The types of judging an entry, whatever the version of the rules. */
import type { AdminPolicyType } from '@countersign/api/requests/admin-policy-types.js';
import type { Bytes } from '@countersign/core/bytes.js';
import type { PolicyReference } from '@countersign/core/errors.js';
import type { Applied, LedgerOperation } from '../operations/ledger-operation.js';
import type { RawInput } from '../operations/operation-input.js';
import type { Demand } from '../policy/admin-policy.js';
import type { User, VaultState } from '../state/state.js';
import type { EvidenceKeys } from '@countersign/core/evidence-seal.js';
import type { DecidedRequest, EntryFacts } from './entry-outcome.js';
import type { OpenedRequest } from '../authentication/opened-request.js';
import type { LoggedEntry, LoggedRequest } from './entry-types.js';

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

export interface Act extends RawInput {
  readonly operation: LedgerOperation;
  readonly actor: User;
  /** When it is judged, ms. */
  readonly at: number;
  /** Hash of the entry that asked for it; ids are derived from it. */
  readonly entryHash: Bytes;
  /** A secret that only holders of the evidence key can derive again from that entry. */
  secret(label: string): Buffer;
}

export interface Performed extends Applied {
  readonly policy: PolicyReference | undefined;
  /** What must come first: see `Permission`. */
  readonly demands: readonly Demand[];
  /** The vaults that it touched. */
  readonly vaultIds: readonly string[];
  /** Actions that the actor needed rights for. */
  readonly actions: readonly AdminPolicyType[];
  readonly decided?: readonly DecidedRequest[];
}

/** Where a request stands in the ledger, and what the version of the rules knows. */
export interface Governed {
  readonly opened: OpenedRequest;
  readonly request: LoggedRequest;
  readonly operations: readonly LedgerOperation[];
}

/** What carrying out a waiting request needs. */
export interface Doing {
  /** ms. */
  readonly at: number;
  readonly derive: EvidenceKeys['derive'];
  readonly operations: readonly LedgerOperation[];
}
