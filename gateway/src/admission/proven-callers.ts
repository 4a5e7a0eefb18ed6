/**
 * What belongs to whoever holds a caller's private key. An API key or a token is known to whoever has seen it: so nothing
 * here is made, used up or pushed out by a request whose assertion was not found right.
 */
import { TokenBucket, type BucketSize } from '@countersign/runtime/process/token-bucket.js';
import type { Attempt } from './attempt.js';
import { BoundedTable } from './bounded-table.js';
import { createBucketTable } from './bucket-table.js';

/** More than one bot has hosts. */
const MAX_ADDRESSES = 64;

export interface ProvenSizes {
  readonly signed: BucketSize;
  /** What freezes something. */
  readonly brakes: BucketSize;
  readonly reads: BucketSize;
}

export interface ProvenCallers {
  /** Seconds until one more of that caller's may be signed. It uses up nothing. */
  secondsUntilSigned(attempt: Attempt): number;
  /** Whether there was room for one more whose assertion is right: then it is used up. */
  takeSigned(attempt: Attempt): boolean;
  giveBackSigned(attempt: Attempt): void;
  /** The caller signed from there. */
  noteProven(attempt: Attempt): void;
  /** What is read with the credential alone where the caller has signed; undefined at any other address. */
  findReads(attempt: Pick<Attempt, 'callerId' | 'source'>): TokenBucket | undefined;
}

/** `now`: ms. Attempts of nobody of this vault have nothing here, and are let through. */
export function createProvenCallers(
  { signed, brakes, reads }: ProvenSizes,
  now: () => number,
): ProvenCallers {
  const callers = new BoundedTable(() => ({
    signed: new TokenBucket(signed, now),
    brakes: new TokenBucket(brakes, now),
    reads: createBucketTable(reads, now, MAX_ADDRESSES),
  }));

  /** `which`: as they are, or made where there are none. */
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
