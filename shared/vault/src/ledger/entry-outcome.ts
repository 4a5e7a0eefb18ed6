import type { PolicyReference, Refusal } from '@countersign/core/errors.js';
import type { PartyNumber } from '@countersign/core/parties.js';
import type { ChainHead } from '@countersign/core/party-statements.js';
import type { LedgerOperation, Subject } from '../operations/ledger-operation.js';
import type { EntryContent, EntryRow } from './entry.js';

/** The outcome of one entry: the audit log's line and the request record's source. */
export interface EntryOutcome extends EntryFacts {
  readonly seq: number;
  readonly hash: Uint8Array;
  readonly prevHash: Uint8Array;
  /** When it was judged, ms, by the later of two parties' clocks: before the last entry, if those were ahead. */
  readonly at: number;
  /** The time by which it is listed, ms: the latest `at` up to this entry, so that it never goes back. */
  readonly listedAt: number;
  readonly kind: EntryContent['kind'] | 'unreadable';
  /** These two are always told, so that nobody takes an outcome that is not complete for a good one. */
  readonly refusal: Refusal | undefined;
  readonly subject: Subject | undefined;
  /** Undefined for what needs no judging: the genesis, statements, and what cannot be read. */
  readonly judgedBy: JudgedBy | undefined;
}

/** What judging finds out about an entry, as far as it gets. */
export interface EntryFacts {
  readonly refusal?: Refusal | undefined;
  /** The kind of error that judging it threw, by a fault of this code. Absent if it threw none. */
  readonly fault?: string;
  readonly actorId?: string | undefined;
  readonly operation?: LedgerOperation | undefined;
  readonly requestId?: string | undefined;
  readonly policy?: PolicyReference | undefined;
  readonly subject?: Subject | undefined;
  /** The entry's sealed credential: secrets of the answer are derived from it. */
  readonly sealedCredential?: Uint8Array | undefined;
  /** What it changed, if the fold was asked to find it; undefined for what changed nothing. */
  readonly changes?: readonly RowChange[] | undefined;
  /** Waiting requests that ended with this entry; absent for none. */
  readonly decided?: readonly DecidedRequest[] | undefined;
  /** Where the chains of records stand, in an anchor that its party signed. */
  readonly anchored?: readonly ChainHead[] | undefined;
}

export interface RowChange {
  /** The part of the state that holds the row, e.g. `signingPolicies`. */
  readonly table: string;
  readonly id: string;
  readonly kind: 'created' | 'changed' | 'removed';
  /** By name: all fields of a row that was created, and none of one that was removed. */
  readonly fields: Readonly<Record<string, FieldChange>>;
}

export type FieldChange =
  | { readonly from?: unknown; readonly to: unknown }
  | { readonly added: readonly unknown[]; readonly removed: readonly unknown[] }
  /** A secret, or what stands for it, differs. */
  | 'withheld';

/** A request that had waited, and ended with this entry. */
export interface DecidedRequest {
  readonly requestId: string;
  readonly operation: LedgerOperation;
  /** Who made it. */
  readonly actorId: string;
  /** Undefined if it failed. */
  readonly subject: Subject | undefined;
  /** The kind of error that doing it threw. Absent if it threw none. */
  readonly fault?: string;
}

/** Two parties that agreed. */
export interface JudgedBy {
  /** The version of the rules. */
  readonly rules: number;
  readonly countersignatures: readonly CountersignedAt[];
}

export interface CountersignedAt {
  readonly party: PartyNumber;
  /** By that party's clock, ms. */
  readonly at: number;
}

/** What is known of an entry once it is settled. */
export interface Settled extends Pick<EntryOutcome, 'at' | 'judgedBy'> {
  readonly facts: EntryFacts;
}

/** A place in the order in which outcomes are given. */
export interface Place {
  readonly row: Pick<EntryRow, 'seq' | 'hash' | 'prevHash'>;
  readonly kind: EntryOutcome['kind'];
  settled?: Settled;
}
