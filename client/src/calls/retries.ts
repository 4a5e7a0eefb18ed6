/** When a request is sent again. */
import type { CallError } from '../answers/call-result.js';

export interface RetryOptions {
  /** The first one included. */
  readonly attempts: number;
  /** Pause before the second attempt, ms; each further one is twice as long, up to `maxPauseMs`. */
  readonly pauseMs: number;
  readonly maxPauseMs: number;
}

export const DEFAULT_RETRIES: RetryOptions = { attempts: 4, pauseMs: 200, maxPauseMs: 5_000 };

/** The service cannot do it now, or something in front of it cannot reach it or is asked too often. */
const PASSING_STATUSES = [429, 502, 503, 504];

/** Whether the same request may fare better later. */
export function isPassing({ errType, status }: CallError): boolean {
  return errType === 'unreachable' || (status !== undefined && PASSING_STATUSES.includes(status));
}

/** ms to wait before the attempt after `attempt` (from 1); undefined when there is none. */
export function pauseBeforeNext(
  { attempts, pauseMs, maxPauseMs }: RetryOptions,
  attempt: number,
  error: CallError,
): number | undefined {
  if (attempt >= attempts || !isPassing(error)) return undefined;
  const pause = Math.min(pauseMs * 2 ** (attempt - 1), maxPauseMs);
  return Math.max(pause, (error.retryAfterS ?? 0) * 1_000);
}
