import type { PolicyReference, Refusal } from '@countersign/core/errors.js';
import type { PartyNumber } from '@countersign/core/parties.js';
import type { ChainHead } from '@countersign/core/party-statements.js';
import type { LedgerOperation, Subject } from '../operations/ledger-operation.js';
import type { EntryContent } from './entry.js';
import type { RowChange } from './row-changes.js';

/** What one entry came to: the audit log's line and the request record's source. */
export interface EntryOutcome {
  readonly seq: number;
  readonly hash: Uint8Array;
  readonly prevHash: Uint8Array;
  /** When it was judged, ms, by the later of two parties' clocks: earlier than the entry before it, if those were ahead. */
  readonly at: number;
  /** By what it is listed, ms: the latest `at` up to this entry, so that it never goes back. */
  readonly listedAt: number;
  readonly kind: EntryContent['kind'] | 'unreadable';
  readonly refusal: Refusal | undefined;
  /** The kind of error that judging it threw: a fault of this code, which the entry found. Absent where it did not. */
  readonly fault?: string;
  readonly actorId: string | undefined;
  readonly operation: LedgerOperation | undefined;
  readonly requestId: string | undefined;
  readonly policy: PolicyReference | undefined;
  readonly subject: Subject | undefined;
  /** The entry's sealed credential: what secrets of the answer are derived from. */
  readonly sealedCredential: Uint8Array | undefined;
  /** Who judged it; undefined for what needs no judging: the genesis, statements, and what cannot be read. */
  readonly judgedBy: JudgedBy | undefined;
  /** What it changed; undefined for what changed nothing. */
  readonly changes?: readonly RowChange[] | undefined;
  /** What came of requests that had waited; absent where none ended with it. */
  readonly decided?: readonly DecidedRequest[] | undefined;
  /** Of an anchor that its party signed: where its chains of records stand. */
  readonly anchored?: readonly ChainHead[] | undefined;
}

/** A request that had waited, and ended with this entry. */
export interface DecidedRequest {
  readonly requestId: string;
  readonly operation: LedgerOperation;
  /** Who had made it. */
  readonly actorId: string;
  /** What it was about; undefined where it came to nothing. */
  readonly subject: Subject | undefined;
  /** The kind of error that doing it threw. Absent where it did not. */
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

/** What judging finds out about an entry, as far as it came. */
export type EntryFacts = Partial<
  Pick<
    EntryOutcome,
    | 'refusal'
    | 'fault'
    | 'actorId'
    | 'operation'
    | 'requestId'
    | 'policy'
    | 'subject'
    | 'sealedCredential'
    | 'changes'
    | 'decided'
    | 'anchored'
  >
>;
