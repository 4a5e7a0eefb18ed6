/** What a call comes to. Whatever the service or the network does is a value; only wrong use is thrown. */
import type { ErrType } from '@countersign/core/errors.js';

/**
 * Error types of the client itself, beside those of the service.
 *
 * `unreachable`: no whole answer came. `bad_answer`: one that the API does not promise. `untrusted`: one
 * that does not check out against what the caller pinned. `still_processing`: the caller's time is over,
 * and the request goes on under `requestId`. `expired`, `cancelled`: how the request ended. `gone`: it
 * was completed, and what it made no longer exists.
 */
export type ClientErrType =
  | 'unreachable'
  | 'bad_answer'
  | 'untrusted'
  | 'still_processing'
  | 'expired'
  | 'cancelled'
  | 'gone';

export interface CallError {
  /** A newer service may have others. */
  readonly errType: ErrType | ClientErrType | (string & {});
  /** For people: of the service, without control characters, or of this client. */
  readonly errMsg: string;
  /** HTTP status; absent when no answer came. */
  readonly status?: number;
  /** Seconds after which the service wants to be asked again. */
  readonly retryAfterS?: number;
  /** As in the result. */
  readonly requestId?: string;
  /**
   * The service's clock, ms since the Unix epoch, to the second: where it refused the timestamp and was further off than
   * the client believes. Nothing but TLS vouches for it.
   */
  readonly serverTimeMs?: number;
}

export interface CallFailure {
  readonly ok: false;
  readonly error: CallError;
}

export interface CallSuccess<Value> {
  readonly ok: true;
  /** HTTP status; 200 also for what was answered 202 first. */
  readonly status: number;
  /** As the service sent it: its form is the service's word. */
  readonly value: Value;
  /** Of its request record, where it was answered 202 first; otherwise the `x-request-id` of the answer. */
  readonly requestId?: string;
}

export type CallResult<Value> = CallSuccess<Value> | CallFailure;

/** For scripts, which end at the first failure: the value, or an Error with type and text. */
export function valueOf<Value>(result: CallResult<Value>): Value {
  if (result.ok) return result.value;
  throw new Error(`${result.error.errType}: ${result.error.errMsg}`);
}

/** Both texts are made printable: what a service says may not move a cursor or forge a line of a log. */
export function failure(
  errType: CallError['errType'],
  errMsg: string,
  more: Omit<CallError, 'errType' | 'errMsg'> = {},
): CallFailure {
  return {
    ok: false,
    error: { errType: printable(errType), errMsg: printable(errMsg), ...more },
  };
}

const MAX_TEXT_LENGTH = 1000;

export function printable(text: string): string {
  return text.slice(0, MAX_TEXT_LENGTH).replaceAll(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/gu, '?');
}
