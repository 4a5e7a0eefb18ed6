/**
 * Limits the rate of requests before this gateway does any costly work, in the memory of this process alone.
 *
 * Threats: strangers who flood it, from one address or from many; whoever holds a credential without its private key,
 * and reads with it or sends wrong assertions. Neither may cost a signature check each, or memory. Neither may keep
 * anybody else from being answered: least of all the credential's owner, and whoever freezes something. So:
 *
 * - Only right assertions use up what a caller may sign. Before one is checked the count is only read.
 * - Failed checks are counted by named caller and address, and by caller alone. An unknown credential costs a hash and
 *   no check. A token that names no user of this vault counts for nobody, so all strangers count together.
 * - An address from which a right assertion of a caller came is held to no count that others can use up elsewhere in
 *   that caller's name.
 * - A request that freezes something bypasses the limits on traffic. It has counts of its own.
 */
import type { Refusal } from '@countersign/core/errors.js';
import type { TokenBucket } from '@countersign/runtime/process/token-bucket.js';
import type { Attempt } from './attempt.js';
import { createBearerReads } from './bearer-reads.js';
import { createBucketTable, sizeOf } from './bucket-table.js';
import { createFailedChecks } from './failed-checks.js';
import { createProvenCallers } from './proven-callers.js';
import { refuseTooOften } from '../http/public-error.js';

export interface RateSettings {
  /** Requests of one address, of whatever kind, in a second. */
  readonly perAddress: number;
  /**
   * What one caller signs in a second; also what is read with one credential, at all addresses together where nothing
   * was signed.
   */
  readonly perCredential: number;
  /** Failed signature checks of one address and one credential, in a second. */
  readonly failuresPerAddress: number;
}

/** The limits that refuse, as metrics name them. */
export const LIMIT_NAMES = ['address', 'credential', 'failures'] as const;
export type LimitName = (typeof LIMIT_NAMES)[number];

export interface RateLimits {
  /** Called at a request's head. */
  refuseSource(source: string): Refusal | undefined;
  /**
   * Called before any work for a signed request. It uses up nothing: nobody has proven yet to be the caller it names.
   */
  refuseAttempt(attempt: Attempt): Refusal | undefined;
  /** Whether too many checks have failed: called again before each further one. */
  refuseFailing(attempt: Attempt): Refusal | undefined;
  /** Notes a check that failed, or one that begins and may fail. */
  noteFailure(attempt: Attempt): void;
  /** Takes that back: the check did not fail. */
  forgive(attempt: Attempt): void;
  /** Counts a request with a right assertion against what its caller may sign. */
  refuseSigned(attempt: Attempt): Refusal | undefined;
  /** Notes a replay of somebody else's request: it counts as a failure and not as one of the caller's. */
  noteReplay(attempt: Attempt): void;
  /** Notes that it came for the first time, so from the holder of the private key. */
  noteProven(attempt: Attempt): void;
  /** Whether the caller has signed from there. */
  isProven(place: Pick<Attempt, 'callerId' | 'source'>): boolean;
  /** Counts a read by its credential alone, which is valid. */
  refuseRead(attempt: Attempt): Refusal | undefined;
  /** Refusals since the start. */
  readonly refused: Readonly<Record<LimitName, number>>;
}

/** A burst of two seconds' requests. */
const BURST_S = 2;
/** One caller may sign as many freezes as ten addresses may fail checks. */
const BRAKES_PER_FAILURE = 10;

/** `now`: ms. */
export function createRateLimits(settings: RateSettings, now: () => number): RateLimits {
  const { refused, tooOften, refuse, take } = createCounts();
  const { perAddress, perCredential, failuresPerAddress } = settings;
  const signed = sizeOf(perCredential, BURST_S);
  const brakes = sizeOf(failuresPerAddress * BRAKES_PER_FAILURE, BURST_S);
  const sources = createBucketTable(sizeOf(perAddress, BURST_S), now);
  const callers = createProvenCallers({ signed, brakes, reads: signed }, now);
  const failures = createFailedChecks(failuresPerAddress, now);
  const reads = createBearerReads(perCredential, now);

  const isProven: RateLimits['isProven'] = (place) => callers.findReads(place) !== undefined;
  const refuseFailing = (attempt: Attempt) =>
    refuse('failures', failures.secondsUntilNext(attempt, isProven));

  return {
    refused,
    isProven,
    refuseFailing,
    refuseSource: (source) => take('address', sources.row(source)),
    refuseAttempt: (attempt) =>
      refuseFailing(attempt) ?? refuse('credential', callers.secondsUntilSigned(attempt)),
    noteFailure: failures.note,
    forgive: failures.forgive,
    refuseSigned: (attempt) =>
      callers.takeSigned(attempt)
        ? undefined
        : tooOften('credential', callers.secondsUntilSigned(attempt)),
    noteReplay(attempt) {
      callers.giveBackSigned(attempt);
      failures.note(attempt);
    },
    noteProven: callers.noteProven,
    refuseRead(attempt) {
      const { callerId, source } = attempt;
      if (callerId === undefined) return undefined;
      const proven = callers.findReads(attempt);
      if (proven !== undefined) return take('credential', proven);
      return reads.tryTake(callerId, source)
        ? undefined
        : tooOften('credential', reads.secondsUntil(callerId));
    },
  };
}

/** Makes refusals, and counts them. */
function createCounts() {
  const refused = { address: 0, credential: 0, failures: 0 };
  function tooOften(limit: LimitName, seconds: number): Refusal {
    refused[limit] += 1;
    return refuseTooOften(TEXTS[limit], seconds);
  }
  return {
    refused,
    tooOften,
    /** `seconds` until there is room again. */
    refuse: (limit: LimitName, seconds: number) =>
      seconds > 0 ? tooOften(limit, seconds) : undefined,
    take: (limit: LimitName, bucket: TokenBucket) =>
      bucket.tryTake(1) ? undefined : tooOften(limit, bucket.secondsUntil(1)),
  };
}

const TEXTS: Readonly<Record<LimitName, string>> = {
  address: 'too many requests from your address',
  credential: 'too many requests with your credential',
  failures: 'too many requests that failed authentication',
};

/** Whether a request would freeze something. */
export function isBrake(method: string | undefined, path: string): boolean {
  return method === 'POST' && path.endsWith('/freeze');
}
