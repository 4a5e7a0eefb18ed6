/** Refusals and errors as callers get them. An ApiError is thrown when a request ends early in the gateway. */
import type { ErrType, Refusal } from '@countersign/core/errors.js';
import { ERR_STATUS } from '@countersign/core/err-status.js';

/** The text for callers, with the policy that denied it if the message does not name it. */
export function publicText({ message, policy }: Refusal): string {
  return policy === undefined || message.includes(policy.id)
    ? message
    : `${message} (policy ${policy.id}, version ${policy.version})`;
}

/** `seconds`: after this time it may be asked again. */
export function refuseTooOften(message: string, seconds: number): Refusal {
  const tooOftenForS = Math.max(1, Math.ceil(seconds));
  return { refused: 'gateway_timeout', message, tooOftenForS };
}

export function statusOf({ refused }: Refusal): number {
  return ERR_STATUS[refused];
}

/** An error with its public text; `cause` stays internal. */
export class ApiError extends Error {
  readonly errType: ErrType;
  readonly retryAfterS: number | undefined;
  /** As in a refusal. */
  readonly isUndecided: boolean;

  constructor(
    errType: ErrType,
    publicMessage: string,
    options: { cause?: unknown; retryAfterS?: number | undefined; isUndecided?: boolean } = {},
  ) {
    super(publicMessage, { cause: options.cause });
    this.name = 'ApiError';
    this.errType = errType;
    this.retryAfterS = options.retryAfterS;
    this.isUndecided = options.isUndecided === true;
  }

  static from(refusal: Refusal): ApiError {
    return new ApiError(refusal.refused, publicText(refusal));
  }
}
