/** The one place where errors become HTTP. */
import type { ServerResponse } from 'node:http';
import type { ErrType, Refusal } from '@countersign/core/errors.js';
import type { Logger } from '@countersign/runtime/process/logger.js';
import { sendJson } from './send-json.js';
import { ApiError, publicText, statusOf } from './public-error.js';

const WRONG_CONTENT_TYPE = 'expected request with Content-Type: application/json, in UTF-8';

/** Sends the status of the refusal's type, and its body. */
export function sendRefusal(response: ServerResponse, refusal: Refusal): void {
  sendJson(response, refusalHead(response, refusal), errorBody(refusal));
}

const given = new WeakMap<ServerResponse, Refusal>();

/** The refusal that an answer gave; undefined if it gave none. */
export function refusalOf(response: ServerResponse): Refusal | undefined {
  return given.get(response);
}

/** Returns the status, and sets the headers. */
export function refusalHead(response: ServerResponse, refusal: Refusal): number {
  given.set(response, refusal);
  const { tooOftenForS, retryAfterS } = refusal;
  const seconds = tooOftenForS ?? retryAfterS;
  if (seconds !== undefined) response.setHeader('retry-after', seconds);
  return statusOf(refusal);
}

/** An error as the API has it. `retryAfterS` is told where a limit was reached, overload by its header alone. */
export function errorBody(refusal: Refusal): ErrorBody {
  const { refused: err_type, retryAfterS: retry_after_s } = refusal;
  const err_msg = publicText(refusal);
  return { err_type, err_msg, ...(retry_after_s !== undefined && { retry_after_s }) };
}

interface ErrorBody {
  readonly err_type: ErrType;
  readonly err_msg: string;
  readonly retry_after_s?: number;
}

/** 415: the one error whose body is text. */
export function sendWrongContentType(response: ServerResponse): void {
  response.writeHead(415, { 'content-type': 'text/plain; charset=utf-8' });
  response.end(WRONG_CONTENT_TYPE);
}

/** Answers anything that was thrown. Only an ApiError's text is public; the rest is logged and answered with 500. */
export function sendError(response: ServerResponse, error: unknown, logger: Logger): void {
  const apiError = toApiError(error);
  if (apiError.errType === 'internal_server_error' || apiError.cause !== undefined) {
    logger.error(
      {
        event: 'request_failed',
        http_request_id: String(response.getHeader('x-request-id')),
        err_type: apiError.errType,
        reason: reasonOf(error),
      },
      'request failed',
    );
  }
  if (response.headersSent) {
    response.destroy();
    return;
  }
  if (apiError.retryAfterS !== undefined) response.setHeader('retry-after', apiError.retryAfterS);
  const { errType: refused, message, isUndecided } = apiError;
  sendRefusal(response, { refused, message, isUndecided });
}

function toApiError(error: unknown): ApiError {
  if (error instanceof ApiError) return error;
  if (error instanceof URIError) return new ApiError('parse_error', 'malformed request path');
  return new ApiError('internal_server_error', 'internal error', { cause: error });
}

function reasonOf(error: unknown): string {
  const source = error instanceof ApiError ? (error.cause ?? error) : error;
  return source instanceof Error ? (source.stack ?? source.message) : String(source);
}
