/** What a party commits for one item of a batch, and what it is told of a request that has a result already. */
import type { RecordedOutcome } from '@countersign/runtime/jobs/sign-outcome.js';
import type { SignRecord } from '@countersign/runtime/records/sign-record.js';

export interface SignResult {
  /** 16 bytes, hex. */
  readonly submission: string;
  readonly receivedAt: number;
  readonly outcome: RecordedOutcome;
  /** The caller's evidence, its credential sealed. */
  readonly evidence: Buffer;
}

export interface RecordEntry {
  readonly record: SignRecord;
  /** The lead's alone. */
  readonly result?: SignResult | undefined;
  /** Until when it may be sent to the database, ms: what was decided may be overtaken by then. */
  readonly until?: number | undefined;
}

/** What another lead recorded for the request before. */
export interface EarlierResult {
  readonly submission: string;
  readonly outcome: RecordedOutcome;
}
