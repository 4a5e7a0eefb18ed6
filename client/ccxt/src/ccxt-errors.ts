/** What a call to the vault comes to, in ccxt's own classes, so that a bot's handlers go on working. */
import type { CallError } from '@countersign/client/call-result.js';

type ErrorClass = new (message: string) => Error;

/** ccxt's error classes: the module `ccxt` has them all. */
export interface CcxtErrors {
  readonly AccountSuspended: ErrorClass;
  readonly AuthenticationError: ErrorClass;
  readonly BadRequest: ErrorClass;
  readonly ExchangeError: ErrorClass;
  readonly ExchangeNotAvailable: ErrorClass;
  readonly NotSupported: ErrorClass;
  readonly PermissionDenied: ErrorClass;
  readonly RateLimitExceeded: ErrorClass;
  readonly RequestTimeout: ErrorClass;
}

/** The vault's own word for a freeze stands at the beginning of its text; names of rules come later. */
const FROZEN = /^the (?:system|venue|vault|wallet|key) is frozen/;

/** A rule's limit over time, as the vault words it: it has room again. Names of rules are quoted. */
const LIMIT_REACHED =
  /: velocity: [\d.]+ asked for, [\d.]+ \w+ allowed in \d+ s, at most [\d.]+ left/;

/** Nothing was sent to the venue: whatever the class, no order can have been placed. */
export function ccxtError(exchangeId: string, error: CallError, errors: CcxtErrors): Error {
  const Class = errors[classOf(error)];
  const id = error.requestId === undefined ? '' : ` (request ${error.requestId})`;
  return new Class(`${exchangeId} countersign: ${error.errMsg}${id}`);
}

function classOf({ errType, errMsg, status }: CallError): keyof CcxtErrors {
  if (status === 429) return 'RateLimitExceeded';
  switch (errType) {
    case 'forbidden':
      if (LIMIT_REACHED.test(errMsg)) return 'RateLimitExceeded';
      return FROZEN.test(errMsg) ? 'AccountSuspended' : 'PermissionDenied';
    case 'unauthorized':
    case 'resource_not_found':
      return 'AuthenticationError';
    case 'parse_error':
    case 'invalid_inputs':
    case 'resource_conflict':
    case 'not_found':
      return 'BadRequest';
    case 'still_processing':
      return 'RequestTimeout';
    case 'cancelled':
      return 'PermissionDenied';
    case 'bad_answer':
    case 'untrusted':
      return 'ExchangeError';
    default:
      return 'ExchangeNotAvailable';
  }
}
