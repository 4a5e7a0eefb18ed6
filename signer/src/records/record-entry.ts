/** What a party commits for one item of a batch, and what it is told of a request that it knows already. */
import type { RecordedOutcome } from '@countersign/runtime/jobs/sign-outcome.js';
import type { SignRecord } from '@countersign/runtime/records/sign-record.js';
import type { RequestMessage } from '../requests/request-memory.js';

export interface SignResult {
  readonly receivedAt: number;
  readonly outcome: RecordedOutcome;
  /** The caller's evidence, its credential sealed. That of a batch is the same for all its items. */
  readonly evidence: Buffer;
  /** Of an item of a batch. */
  readonly batch?: BatchPlace | undefined;
}

export interface BatchPlace {
  /** The id of the request as a whole. */
  readonly requestId: string;
  readonly index: number;
}

export interface RecordEntry {
  readonly record: SignRecord;
  /** When its caller signed the request, by the caller's clock, ms; its id is a digest of this among others. */
  readonly askedAt: number;
  /** The request's one message, where this party does not know it to be written down. */
  readonly message?: RequestMessage | undefined;
  /** Only a lead has one. */
  readonly result?: SignResult | undefined;
  /** Whether it is written although another lead has a result of the request, because that one does not hold. */
  readonly isBesideOthers?: boolean | undefined;
  /** Until when it may be sent to the database, by the clock of leases, ms: afterwards the decision may be overtaken. */
  readonly until?: number | undefined;
}

/** Why an entry was not written: what the party's store says of its request. */
export interface KnownRequest {
  /** The message that a replica of this party contributed to. */
  readonly message: RequestMessage | undefined;
  /** Results of any lead: mere claims until they are checked. */
  readonly results: readonly StoredResult[];
}

export interface StoredResult {
  readonly lead: number;
  readonly payload: Buffer;
}
