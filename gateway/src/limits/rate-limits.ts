/**
 * How often this gateway lets itself be asked, before it does any work that costs. In memory, for this process alone.
 *
 * Threats: strangers who flood it, from one address or from many; whoever holds a credential without its private key, and
 * sends wrong assertions. Neither may cost a signature check each, or memory, and neither may keep anybody else from
 * being answered, least of all whoever freezes something. So:
 *
 * - A credential that nobody has costs a hash and no check. A token that names nobody of this vault is checked so often
 *   for its address, and so often for all of them together, since whoever has many addresses has many counts.
 * - Checks that fail are counted by whom they speak of and where they come from: who sends wrong ones from one place locks
 *   nobody out in another. What one credential may ask in all bounds what many addresses can cost in its name.
 * - A request that freezes something passes by the bounds on traffic. It has a reserve of its own, by credential.
 */
import { refuseTooOften, type Refusal } from '@countersign/core/errors.js';
import { TokenBucket, type BucketSize } from '@countersign/runtime/process/token-bucket.js';
import { BucketTable } from './bucket-table.js';

export interface RateSettings {
  /** Requests of one address, of whatever kind, in a second. */
  readonly perAddress: number;
  /** Requests of one credential in a second. */
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

/** Whom a request speaks of, and from where: what a check of its signatures is counted under. */
export interface Attempt {
  /** Undefined for nobody of this vault. */
  readonly callerId: string | undefined;
  /** As of `createSourceOf`. */
  readonly source: string;
  readonly isBrake: boolean;
}

export interface RateLimits {
  /** At a request's head. */
  refuseSource(source: string): Refusal | undefined;
  /** Before the first signature of a request is checked. */
  refuseAttempt(attempt: Attempt): Refusal | undefined;
  /** Whether too many checks have failed: asked again before each further one. */
  refuseFailing(attempt: Attempt): Refusal | undefined;
  /** A check has failed, or one begins of which it is told later whether it did. */
  noteFailure(attempt: Attempt): void;
  /** It has not. */
  forgive(attempt: Attempt): void;
  /** Refused since the start. */
  readonly refused: Readonly<Record<LimitName, number>>;
}

/** A burst of two seconds' requests. */
const BURST_S = 2;
/** Somebody who mistypes a setting tries again and again: ten seconds' worth. */
const FAILURES_BURST_S = 10;
/** Of all strangers together, and of one credential's freezes, as many as of so many addresses. */
const ADDRESSES_AT_ONCE = 10;

/** `now`: ms. */
export function createRateLimits(settings: RateSettings, now: () => number): RateLimits {
  const refused = { address: 0, credential: 0, failures: 0 };
  const { perAddress, perCredential, failuresPerAddress } = settings;
  const reserve = sizeOf(failuresPerAddress * ADDRESSES_AT_ONCE, BURST_S);
  const sources = new BucketTable(sizeOf(perAddress, BURST_S), now);
  const credentials = new BucketTable(sizeOf(perCredential, BURST_S), now);
  const brakes = new BucketTable(reserve, now);
  const failures = new BucketTable(sizeOf(failuresPerAddress, FAILURES_BURST_S), now);
  const strangers = new TokenBucket(reserve, now);

  function tooOften(limit: LimitName, seconds: number): Refusal {
    refused[limit] += 1;
    return refuseTooOften(TEXTS[limit], seconds);
  }

  function take(limit: LimitName, bucket: TokenBucket): Refusal | undefined {
    return bucket.tryTake(1) ? undefined : tooOften(limit, bucket.secondsUntil(1));
  }

  function refuseFailing(attempt: Attempt): Refusal | undefined {
    if (failures.length === 0) return undefined;
    const seconds = failures.find(failureKey(attempt))?.secondsUntil(1) ?? 0;
    return seconds === 0 ? undefined : tooOften('failures', seconds);
  }

  return {
    refused,
    refuseSource: (source) => take('address', sources.bucket(source)),
    refuseFailing,
    refuseAttempt(attempt) {
      const failing = refuseFailing(attempt);
      if (failing !== undefined) return failing;
      const { callerId, isBrake } = attempt;
      if (callerId === undefined) return take('failures', strangers);
      return take('credential', (isBrake ? brakes : credentials).bucket(callerId));
    },
    noteFailure: (attempt) => void failures.bucket(failureKey(attempt)).tryTake(1),
    forgive(attempt) {
      failures.find(failureKey(attempt))?.give(1);
      if (attempt.callerId === undefined) strangers.give(1);
    },
  };
}

const TEXTS: Readonly<Record<LimitName, string>> = {
  address: 'too many requests from your address',
  credential: 'too many requests with your credential',
  failures: 'too many requests that failed authentication',
};

function sizeOf(perSecond: number, burstS: number): BucketSize {
  return { perSecond, capacity: perSecond * burstS };
}

/** An id has no space, and no source begins with a dash. */
function failureKey({ callerId = '-', source, isBrake }: Attempt): string {
  return isBrake ? `${callerId} freeze ${source}` : `${callerId} ${source}`;
}

/** Whether a request would freeze something. */
export function isBrake(method: string | undefined, path: string): boolean {
  return method === 'POST' && path.endsWith('/freeze');
}
