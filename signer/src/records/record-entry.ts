/** What a party commits for one item of a batch, and what it is told of a request that is known already. */
import type { RecordedOutcome } from '@countersign/runtime/jobs/sign-outcome.js';
import type { SignRecord } from '@countersign/runtime/records/sign-record.js';
import type { RequestMessage } from '../requests/request-memory.js';

export interface SignResult {
  readonly receivedAt: number;
  readonly outcome: RecordedOutcome;
  /** The caller's evidence, its credential sealed. */
  readonly evidence: Buffer;
}

export interface RecordEntry {
  readonly record: SignRecord;
  /** When its caller signed the request, by the caller's clock, ms: part of what its id is a digest of. */
  readonly askedAt: number;
  /** The request's one message, where this party does not know it to be written down. */
  readonly message?: RequestMessage | undefined;
  /** The lead's alone. */
  readonly result?: SignResult | undefined;
  /** Whether to be written although another lead has a result of the request: one that does not hold. */
  readonly isBesideOthers?: boolean | undefined;
  /** Until when it may be sent to the database, ms: what was decided may be overtaken by then. */
  readonly until?: number | undefined;
}

/** Why an entry was not written: what the party's store says of its request. */
export interface KnownRequest {
  /** The message that a replica of this party contributed to. */
  readonly message: RequestMessage | undefined;
  /** Of any lead: claims, until they were checked. */
  readonly results: readonly StoredResult[];
}

export interface StoredResult {
  readonly lead: number;
  readonly payload: Buffer;
}
