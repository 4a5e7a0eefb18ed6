/** Calls of the API's operations: typed, sent again where that may help, and followed to their end. */
import { randomUUID } from 'node:crypto';
import type { OperationResponse } from '@countersign/api/operation.js';
import type { API_OPERATIONS, OperationId } from '@countersign/api/operations/api-operations.js';
import { UUID_PATTERN } from '@countersign/core/hash.js';
import { failure, type CallResult } from '../answers/call-result.js';
import { textField } from '../answers/json-fields.js';
import { ExchangeError } from '../transport/transport.js';
import {
  findOperation,
  operationRequest,
  type AnyInput,
  type OperationInput,
} from './operation-request.js';
import type { ClientRequest, RawClient } from './raw-client.js';
import { readAnswer, type AnswerForm } from './read-answer.js';
import { outcomeOfRecord, stillProcessing } from './record-outcome.js';
import { DEFAULT_RETRIES, isPassing, pauseBeforeNext, type RetryOptions } from './retries.js';

export interface CallOptions {
  /**
   * 1 to 64 printable ASCII characters, one for each thing to be done: however often it is sent, within
   * 24 hours it is done once. A change without one gets a random one, unless retries are off.
   */
  readonly idempotencyKey?: string;
  /** Seconds, 0 to 30, that the service may take before it answers 202; its own default when absent. */
  readonly preferWaitS?: number;
  /**
   * ms that the call may take, with all attempts, pauses and looks at what was answered 202; where the service is silent, up
   * to 2 s more. 0: the answer 202 is enough.
   */
  readonly waitMs?: number;
}

export interface CallSettings {
  /** `false`: each request is sent once. */
  readonly retries?: Partial<RetryOptions> | false;
  /** For every call that states none. */
  readonly preferWaitS?: number;
  /** For every call that states none; 10 minutes when absent, approvals included. */
  readonly waitMs?: number;
  /**
   * ms before the second look at what was answered 202, 200 when absent. Each further pause is half as
   * long again, up to `maxPollMs`, 5,000 when absent.
   */
  readonly pollMs?: number;
  readonly maxPollMs?: number;
  /** Hears each record that is looked at, while a request that was answered 202 goes on. */
  readonly onRecord?: (record: unknown) => void;
}

export interface Clock {
  /** ms that only ever grow. */
  elapsedMs(): number;
  sleep(ms: number): Promise<void>;
  /** Of the service, which refused a timestamp. True where another signature may fare better. */
  correct(serverTimeMs: number): boolean;
}

/** All the input when nothing in it is required. */
type CallArguments<Id extends OperationId> =
  {} extends OperationInput<Id>
    ? [input?: OperationInput<Id> & CallOptions]
    : [input: OperationInput<Id> & CallOptions];

/** Body of the answer 200. */
export type OperationValue<Id extends OperationId> = OperationResponse<(typeof API_OPERATIONS)[Id]>;

interface PageOf {
  readonly next_cursor: string | null;
}

/** An operation that answers in pages. */
export type PagedOperationId = {
  [Id in OperationId]: OperationValue<Id> extends PageOf ? Id : never;
}[OperationId];

export interface OperationCalls {
  /** Throws RangeError on wrong use, and what an external signer throws. */
  call<Id extends OperationId>(
    id: Id,
    ...input: CallArguments<Id>
  ): Promise<CallResult<OperationValue<Id>>>;
  /** Page by page, to the last one or the first failure. */
  pages<Id extends PagedOperationId>(
    id: Id,
    ...input: CallArguments<Id>
  ): AsyncGenerator<CallResult<OperationValue<Id>>, void, undefined>;
  /** What a request comes to that is known by its id. */
  waitForRequest(requestId: string, options?: { waitMs?: number }): Promise<CallResult<unknown>>;
}

const WAIT_MS = 10 * 60_000;
const POLL_MS = 200;
const MAX_POLL_MS = 5_000;
const POLL_GROWTH = 1.5;

// oxlint-disable-next-line eslint/max-lines-per-function -- short functions over one client, its settings and its clock
export function createOperationCalls(
  raw: RawClient,
  settings: CallSettings,
  clock: Clock,
): OperationCalls {
  const { waitMs: usualWaitMs = WAIT_MS, pollMs = POLL_MS, maxPollMs = MAX_POLL_MS } = settings;
  const retries = settings.retries === false ? ONCE : { ...DEFAULT_RETRIES, ...settings.retries };

  /** No answer is a value, too. */
  async function exchange(
    request: ClientRequest,
    form: AnswerForm,
    deadline: number,
  ): Promise<CallResult<unknown>> {
    const timeoutMs = Math.max(deadline - clock.elapsedMs(), 0) + LATE_ANSWER_MS;
    const response = await raw.send({ ...request, timeoutMs }).catch(exchangeFailure);
    return 'ok' in response ? response : readAnswer(form, response);
  }

  /** One attempt, and another one where the service refused the first for its time. */
  async function attempt(
    request: ClientRequest,
    form: AnswerForm,
    deadline: number,
  ): Promise<CallResult<unknown>> {
    const result = await exchange(request, form, deadline);
    const serverTimeMs = result.ok ? undefined : result.error.serverTimeMs;
    if (serverTimeMs === undefined || !clock.correct(serverTimeMs)) return result;
    return retries.attempts === 1 ? result : exchange(request, form, deadline);
  }

  /** Each attempt is signed anew, so that only the idempotency key ties it to the others. */
  async function attempts(
    requestWithin: (leftMs: number) => ClientRequest,
    form: AnswerForm,
    deadline: number,
  ): Promise<CallResult<unknown>> {
    for (let count = 1; ; count++) {
      const request = requestWithin(deadline - clock.elapsedMs());
      const result = await attempt(request, form, deadline);
      const pauseMs = result.ok ? undefined : pauseBeforeNext(retries, count, result.error);
      if (pauseMs === undefined || clock.elapsedMs() + pauseMs >= deadline) return result;
      await clock.sleep(pauseMs);
    }
  }

  /** Looks until the request has ended; what may pass is waited for, however often it comes. */
  async function follow(requestId: string, deadline: number): Promise<CallResult<unknown>> {
    const input = { params: { request_id: requestId } };
    const request = operationRequest('get-request', input);
    let record: unknown;
    for (let pauseMs = pollMs; ; pauseMs = Math.min(pauseMs * POLL_GROWTH, maxPollMs)) {
      const looked = await attempt(request, findOperation('get-request'), deadline);
      if (!looked.ok && !isPassing(looked.error)) {
        return { ok: false, error: { ...looked.error, requestId } };
      }
      if (looked.ok) {
        record = looked.value;
        settings.onRecord?.(record);
      }
      const outcome = looked.ok ? outcomeOfRecord(record, requestId) : undefined;
      if (outcome !== undefined) return outcome;
      const leftMs = deadline - clock.elapsedMs();
      if (leftMs <= 0) return stillProcessing(requestId, record);
      await clock.sleep(Math.min(pauseMs, leftMs));
    }
  }

  async function call(
    id: OperationId,
    input: AnyInput & CallOptions = {},
  ): Promise<CallResult<unknown>> {
    const operation = findOperation(id);
    const { waitMs = usualWaitMs, preferWaitS = settings.preferWaitS } = input;
    const deadline = clock.elapsedMs() + waitMs;
    const isChange = operation.isAsync === true;
    const once = idempotencyHeader(isChange, input.idempotencyKey, retries);
    const request = operationRequest(id, input);
    const requestWithin = (leftMs: number): ClientRequest => ({
      ...request,
      headers: { ...once, ...preferHeader(isChange, preferWaitS, leftMs) },
    });
    const answered = await attempts(requestWithin, operation, deadline);
    if (!answered.ok || answered.status !== 202) return answered;
    const requestId = textField(answered.value, 'request_id') ?? '';
    if (!UUID_PATTERN.test(requestId)) {
      return failure('bad_answer', 'a request id is no UUID', { status: 202 });
    }
    return clock.elapsedMs() < deadline
      ? follow(requestId, deadline)
      : stillProcessing(requestId, answered.value);
  }

  async function* pages(
    id: OperationId,
    input: AnyInput & CallOptions = {},
  ): AsyncGenerator<CallResult<unknown>, void, undefined> {
    let cursor: string | undefined;
    for (;;) {
      const page = await call(
        id,
        cursor === undefined ? input : inputWithCursor(id, input, cursor),
      );
      yield page;
      const next = page.ok ? textField(page.value, 'next_cursor') : undefined;
      if (next === undefined) return;
      if (next === cursor) {
        yield failure('bad_answer', 'a page names itself as the next one');
        return;
      }
      cursor = next;
    }
  }

  const untyped = {
    call,
    pages,
    async waitForRequest(requestId: string, { waitMs = usualWaitMs }: { waitMs?: number } = {}) {
      if (!UUID_PATTERN.test(requestId)) throw new RangeError('a request id is a UUID');
      return follow(requestId, clock.elapsedMs() + waitMs);
    },
  };
  // the types of input and value follow from the operation's description, of which the code sees data alone
  return untyped as unknown as OperationCalls;
}

/** A list takes its cursor in the query, what is asked for by a body takes it there. */
function inputWithCursor<Input extends AnyInput>(
  id: OperationId,
  input: Input,
  cursor: string,
): Input {
  return findOperation(id).method === 'GET'
    ? { ...input, query: { ...input.query, cursor } }
    : { ...input, body: { ...(input.body as object), cursor } };
}

const ONCE: RetryOptions = { attempts: 1, pauseMs: 0, maxPauseMs: 0 };
/** On its way to a caller whose time is over: it has the id of a request that goes on. */
const LATE_ANSWER_MS = 2_000;
/** More than the service takes by itself before it answers 202. */
const LONG_WAIT_S = 10;

function exchangeFailure(error: unknown): CallResult<never> {
  if (error instanceof ExchangeError) return failure(error.errType, error.message);
  throw error;
}

function idempotencyHeader(
  isChange: boolean,
  given: string | undefined,
  { attempts }: RetryOptions,
): Record<string, string> {
  const key = given ?? (isChange && attempts > 1 ? randomUUID() : undefined);
  return key === undefined ? {} : { 'idempotency-key': key };
}

/** A caller in a hurry must hear the request's id in time. */
function preferHeader(
  isChange: boolean,
  waitS: number | undefined,
  waitMs: number,
): Record<string, string> {
  // what was left a moment ago
  const callerS = Math.floor((waitMs + 100) / 1_000);
  if (!isChange || (waitS === undefined && callerS >= LONG_WAIT_S)) return {};
  const preferredS = Math.min(waitS ?? LONG_WAIT_S, callerS);
  return { prefer: preferredS === 0 ? 'respond-async' : `wait=${preferredS}` };
}
