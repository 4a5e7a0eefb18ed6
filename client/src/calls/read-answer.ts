/** An answer of the service as a value. */
import { failure, type CallResult } from '../answers/call-result.js';
import { textField } from '../answers/json-fields.js';
import type { ClientResponse } from './raw-client.js';

/** How an operation answers, beside 200 with JSON. */
export interface AnswerForm {
  readonly alsoAnswers?: readonly number[];
  readonly content?: Readonly<Record<string, string>>;
}

export function readAnswer(
  { alsoAnswers = [], content = { 'application/json': '' } }: AnswerForm,
  response: ClientResponse,
): CallResult<unknown> {
  const { status, text, body } = response;
  const isAnswer = (status >= 200 && status < 300) || alsoAnswers.includes(status);
  if (!isAnswer) return readRefusal(response);
  const isJson = Object.hasOwn(content, 'application/json');
  if (isJson && body === undefined) {
    return failure('bad_answer', 'the service answered with something else than JSON', { status });
  }
  return { ok: true, status, value: isJson ? body : text, ...requestIdOf(response) };
}

function readRefusal(response: ClientResponse): CallResult<never> {
  const { status, body, headers } = response;
  const errType = textField(body, 'err_type');
  const errMsg = textField(body, 'err_msg');
  const more = { status, ...retryAfterOf(headers['retry-after']), ...requestIdOf(response) };
  if (errType === undefined || errMsg === undefined) {
    return failure('bad_answer', `the service answered with status ${status}`, more);
  }
  const isOfClock = status === 401 && errMsg.includes('x-request-timestamp');
  return failure(errType, errMsg, { ...more, ...(isOfClock && serverTimeOf(headers.date)) });
}

function requestIdOf({ headers }: ClientResponse): { requestId?: string } {
  const requestId = headers['x-request-id'];
  return typeof requestId === 'string' && /^[\x21-\x7e]{1,64}$/.test(requestId)
    ? { requestId }
    : {};
}

/** Delay in seconds (RFC 9110, section 10.2.3); the service gives no dates. */
function retryAfterOf(header: string | undefined): { retryAfterS?: number } {
  return header !== undefined && /^\d{1,6}$/.test(header) ? { retryAfterS: Number(header) } : {};
}

function serverTimeOf(date: string | undefined): { serverTimeMs?: number } {
  const serverTimeMs = Date.parse(date ?? '');
  return Number.isFinite(serverTimeMs) ? { serverTimeMs } : {};
}
