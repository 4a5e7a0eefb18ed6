/**
 * Counts that belong to the holder of a caller's private key. An API key or a token is known to whoever has seen it. So
 * no request makes, uses up or removes anything here before its assertion was found right.
 */
import { TokenBucket, type BucketSize } from '@countersign/runtime/process/token-bucket.js';
import type { Attempt } from './attempt.js';
import { BoundedTable } from './bounded-table.js';
import { createBucketTable } from './bucket-table.js';

/** More addresses than one bot has hosts. */
const MAX_ADDRESSES = 64;

export interface ProvenSizes {
  readonly signed: BucketSize;
  /** Requests that freeze something. */
  readonly brakes: BucketSize;
  readonly reads: BucketSize;
}

export interface ProvenCallers {
  /** Seconds until that caller may sign one more request. It uses up nothing. */
  secondsUntilSigned(attempt: Attempt): number;
  /** Takes room for one more request whose assertion is right; whether there was any. */
  takeSigned(attempt: Attempt): boolean;
  giveBackSigned(attempt: Attempt): void;
  /** Notes that the caller signed from there. */
  noteProven(attempt: Attempt): void;
  /** The count of reads with the credential alone, at addresses where the caller has signed; undefined at any other. */
  findReads(attempt: Pick<Attempt, 'callerId' | 'source'>): TokenBucket | undefined;
}

/** `now`: ms. Attempts that name no user of this vault have no counts here, and are let through. */
export function createProvenCallers(
  { signed, brakes, reads }: ProvenSizes,
  now: () => number,
): ProvenCallers {
  const callers = new BoundedTable(() => ({
    signed: new TokenBucket(signed, now),
    brakes: new TokenBucket(brakes, now),
    reads: createBucketTable(reads, now, MAX_ADDRESSES),
  }));

  /** `which`: look for the bucket only, or make it if there is none. */
  function bucketOf(which: 'find' | 'row', attempt: Attempt): TokenBucket | undefined {
    if (attempt.callerId === undefined) return undefined;
    const caller = callers[which](attempt.callerId);
    return attempt.isBrake ? caller?.brakes : caller?.signed;
  }

  return {
    secondsUntilSigned: (attempt) => bucketOf('find', attempt)?.secondsUntil(1) ?? 0,
    takeSigned: (attempt) => bucketOf('row', attempt)?.tryTake(1) ?? true,
    giveBackSigned: (attempt) => bucketOf('find', attempt)?.give(1),
    noteProven({ callerId, source }) {
      if (callerId !== undefined) callers.row(callerId).reads.row(source);
    },
    findReads: ({ callerId = '', source }) => callers.find(callerId)?.reads.find(source),
  };
}
