/**
 * How often this gateway lets itself be asked, before it does any work that costs. In memory, for this process alone.
 *
 * Threats: strangers who flood it, from one address or from many; whoever holds a credential without its private key, and
 * reads with it or sends wrong assertions. Neither may cost a signature check each, or memory, and neither may keep anybody
 * else from being answered: least of all the credential's owner, and whoever freezes something. So:
 *
 * - What a caller may sign is used up by right assertions alone. Before one is checked it is only looked at.
 * - Checks that fail are counted by whom they speak of and where they come from, and by whom alone. A credential that nobody
 *   has costs a hash and no check; a token that names nobody of this vault speaks of nobody, so all strangers count together.
 * - An address where a right assertion of a caller came from is held to no count that others can use up in that caller's
 *   name elsewhere.
 * - A request that freezes something passes by the bounds on traffic. It has counts of its own.
 */
import { refuseTooOften, type Refusal } from '@countersign/core/errors.js';
import type { TokenBucket } from '@countersign/runtime/process/token-bucket.js';
import type { Attempt } from './attempt.js';
import { createBearerReads } from './bearer-reads.js';
import { createBucketTable, sizeOf } from './bucket-table.js';
import { createFailedChecks } from './failed-checks.js';
import { createProvenCallers } from './proven-callers.js';

export interface RateSettings {
  /** Requests of one address, of whatever kind, in a second. */
  readonly perAddress: number;
  /** In a second: what one caller signs; and what is read with one credential, at all addresses together where nothing was signed. */
  readonly perCredential: number;
  /** Checks of signatures that fail, of one address and one credential, in a second. */
  readonly failuresPerAddress: number;
}

/** Far beyond what a desk asks of one gateway, and far below what would hurt it. */
export const DEFAULT_RATES: RateSettings = {
  perAddress: 10_000,
  perCredential: 5_000,
  failuresPerAddress: 50,
};

/** What is refused by, as metrics name it. */
export const LIMIT_NAMES = ['address', 'credential', 'failures'] as const;
export type LimitName = (typeof LIMIT_NAMES)[number];

export interface RateLimits {
  /** At a request's head. */
  refuseSource(source: string): Refusal | undefined;
  /** Before anything is done for a signed request. It uses up nothing: whom it names nobody knows yet. */
  refuseAttempt(attempt: Attempt): Refusal | undefined;
  /** Whether too many checks have failed: asked again before each further one. */
  refuseFailing(attempt: Attempt): Refusal | undefined;
  /** A check has failed, or one begins of which it is told later whether it did. */
  noteFailure(attempt: Attempt): void;
  /** It has not. */
  forgive(attempt: Attempt): void;
  /** Its assertion is right: it is one of those that its caller may sign. */
  refuseSigned(attempt: Attempt): Refusal | undefined;
  /** It was signed for somebody else, who sent it before: it is none of those, and one that failed. */
  noteReplay(attempt: Attempt): void;
  /** It came for the first time, so from whoever holds the private key. */
  noteProven(attempt: Attempt): void;
  /** Whether the caller has signed from there. */
  isProven(place: Pick<Attempt, 'callerId' | 'source'>): boolean;
  /** Of a read by its credential alone, which is good. */
  refuseRead(attempt: Attempt): Refusal | undefined;
  /** Refused since the start. */
  readonly refused: Readonly<Record<LimitName, number>>;
}

/** A burst of two seconds' requests. */
const BURST_S = 2;
/** Of freezes that one caller signs, as many as ten addresses may fail. */
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

/** What is refused, and how often that was. */
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
