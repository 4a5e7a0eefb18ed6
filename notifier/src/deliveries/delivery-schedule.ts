/** Decides what follows an attempt to send an event. */

export type Attempt =
  /** The endpoint answered, with this HTTP status. */
  | { readonly kind: 'answered'; readonly status: number }
  /** No answer: unknown name, no connection, or timeout. */
  | { readonly kind: 'unanswered'; readonly reason: string }
  /** It may not be sent there, or there is nothing to send. */
  | { readonly kind: 'refused'; readonly reason: string };

export interface NextStep {
  readonly status: 'delivered' | 'failed' | 'pending';
  readonly responseStatus: number | null;
  /** A few words; null when it was delivered. */
  readonly error: string | null;
  /** Pause before the next attempt of a pending delivery. */
  readonly retryInMs: number;
}

const SECOND = 1_000;
const MINUTE = 60 * SECOND;
const HOUR = 60 * MINUTE;

/** Pauses before the second and later attempts: a good two days in all. */
export const RETRY_PAUSES_MS: readonly number[] = [
  ...[5 * SECOND, 30 * SECOND, 2 * MINUTE, 10 * MINUTE, 30 * MINUTE],
  ...[1, 2, 4, 8, 12, 24].map((hours) => hours * HOUR),
];

/**
 * `attempts`: including this one. `random`: from 0 to 1. It varies pauses by a tenth either way, so that deliveries
 * which failed together are not repeated together.
 */
export function stepAfter(attempt: Attempt, attempts: number, random: number): NextStep {
  const responseStatus = attempt.kind === 'answered' ? attempt.status : null;
  if (responseStatus !== null && responseStatus >= 200 && responseStatus < 300) {
    return { status: 'delivered', responseStatus, error: null, retryInMs: 0 };
  }
  const error = attempt.kind === 'answered' ? `answered ${attempt.status}` : attempt.reason;
  const pause = RETRY_PAUSES_MS[attempts - 1];
  if (pause === undefined || !isWorthAnother(attempt)) {
    return { status: 'failed', responseStatus, error, retryInMs: 0 };
  }
  const retryInMs = Math.round(pause * (0.9 + 0.2 * random));
  return { status: 'pending', responseStatus, error, retryInMs };
}

/** A redirect or a 4xx, even 429, is final. */
function isWorthAnother(attempt: Attempt): boolean {
  if (attempt.kind === 'answered') return attempt.status >= 500;
  return attempt.kind === 'unanswered';
}
