/** The few calls of the vault's API that an import needs, for machine users. */
import { setTimeout as sleep } from 'node:timers/promises';
import { UUID_PATTERN } from '@countersign/core/hash.js';
import { objectOf, ownField, textField, type JsonObject } from '../answers/json-fields.js';
import { signedHeaders, type MachineCredential } from './request-signature.js';
import type { ImportRequestBody } from '../sealing/build-import-request.js';
import { badAnswer, VaultAnswerError } from '../answers/vault-answer-error.js';

export interface CountersignApiOptions extends MachineCredential {
  /** Scheme, host and port. Plain http only on this machine: an API key alone can read. */
  readonly url: string;
  /** ms since the Unix epoch; the local clock by default. */
  readonly now?: () => number;
  /** Pause between two looks at a request that is being worked on. */
  readonly pollMs?: number;
  /** How long to wait for such a request, approvals included. */
  readonly waitMs?: number;
}

/** All methods throw VaultAnswerError. */
export interface CountersignApi {
  /** Whom the vault takes the caller for. */
  whoami(): Promise<{ readonly id: string }>;
  /** Unchecked: see verifyImportRecipients. */
  importRecipients(): Promise<unknown>;
  /** The new key, also when the vault needs time or approvals first. */
  importKey(body: ImportRequestBody): Promise<JsonObject>;
  /** The result of a request once it is completed. */
  waitForRequest(requestId: string): Promise<unknown>;
}

interface Answer {
  readonly status: number;
  readonly body: unknown;
}

const EXCHANGE_TIMEOUT_MS = 60_000;
const DEFAULT_POLL_MS = 1_000;
const DEFAULT_WAIT_MS = 10 * 60_000;
/** Faults that may be gone by the next look. */
const PASSING_FAULTS = ['unreachable', 'gateway_timeout'];

/** Throws RangeError when `url` is none that may be used. */
export function createCountersignApi(options: CountersignApiOptions): CountersignApi {
  const origin = parseServiceUrl(options.url);
  const { now = Date.now, pollMs = DEFAULT_POLL_MS, waitMs = DEFAULT_WAIT_MS } = options;

  const get = async (path: string): Promise<unknown> => {
    const headers = { authorization: `ApiKey ${options.apiKey}` };
    return (await exchange(origin, path, { method: 'GET', headers })).body;
  };
  const post = (path: string, value: unknown): Promise<Answer> => {
    const body = Buffer.from(JSON.stringify(value), 'utf8');
    const signed = signedHeaders(options, { method: 'POST', path, body, now: now() });
    const headers = { ...signed, 'content-type': 'application/json' };
    return exchange(origin, path, { method: 'POST', headers, body });
  };
  const waitForRequest = async (requestId: string): Promise<unknown> => {
    if (!UUID_PATTERN.test(requestId)) throw badAnswer('a request id is no UUID');
    const deadline = now() + waitMs;
    for (;;) {
      const record = await passFaults(get(`/v1/requests/${requestId}`));
      if (record !== undefined && textField(record, 'status') !== 'processing') {
        return resultOf(record);
      }
      if (now() >= deadline) throw stillProcessing(requestId, textField(record, 'phase'));
      await sleep(pollMs);
    }
  };
  return {
    waitForRequest,
    async whoami() {
      const id = textField(await get('/v1/whoami'), 'id');
      if (id === undefined) throw badAnswer('whoami names no user');
      return { id };
    },
    importRecipients: () => get('/v1/keys/import-recipients'),
    async importKey(body) {
      const answer = await post('/v1/keys/import', body);
      const key = objectOf(
        answer.status === 202
          ? await waitForRequest(textField(answer.body, 'request_id') ?? '')
          : answer.body,
      );
      if (key === undefined) throw badAnswer('the import gave no key');
      return key;
    },
  };
}

/** The origin, without a final slash. */
function parseServiceUrl(text: string): string {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  if (url === undefined || `${url.origin}/` !== url.href) {
    throw new RangeError('the URL of the service is scheme, host and port, nothing more');
  }
  const isLocal = /^(?:localhost|127\.0\.0\.1|\[::1\])$/.test(url.hostname);
  if (url.protocol !== 'https:' && !(url.protocol === 'http:' && isLocal)) {
    throw new RangeError('the URL of the service must be https, unless it is on this machine');
  }
  return url.origin;
}

async function exchange(origin: string, path: string, init: RequestInit): Promise<Answer> {
  const { status, text } = await send(origin, path, init);
  const body = parseJson(text);
  if (status >= 200 && status < 300) return { status, body };
  throw refusalOf(body, `the service answered with status ${status}`);
}

async function send(origin: string, path: string, init: RequestInit) {
  try {
    // a redirect would carry the API key to whoever the answer names
    const response = await fetch(origin + path, {
      ...init,
      redirect: 'error',
      signal: AbortSignal.timeout(EXCHANGE_TIMEOUT_MS),
    });
    return { status: response.status, text: await response.text() };
  } catch (error) {
    throw new VaultAnswerError('unreachable', `no answer from ${origin}${reasonOf(error)}`);
  }
}

/** fetch hides the system error, e.g. ECONNREFUSED, in the cause. */
function reasonOf(error: unknown): string {
  const code = ownField(ownField(error, 'cause'), 'code');
  return typeof code === 'string' ? ` (${code})` : '';
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

function refusalOf(body: unknown, otherwise: string): VaultAnswerError {
  const errType = textField(body, 'err_type');
  const errMsg = textField(body, 'err_msg');
  if (errType === undefined || errMsg === undefined) return badAnswer(otherwise);
  return new VaultAnswerError(errType, errMsg);
}

function resultOf(record: unknown): unknown {
  const status = textField(record, 'status');
  if (status === 'completed') return ownField(record, 'result');
  throw refusalOf(ownField(record, 'error'), `the request ended as ${String(status)}`);
}

async function passFaults(record: Promise<unknown>): Promise<unknown> {
  try {
    return await record;
  } catch (error) {
    const isPassing = error instanceof VaultAnswerError && PASSING_FAULTS.includes(error.errType);
    if (isPassing) return undefined;
    throw error;
  }
}

function stillProcessing(requestId: string, phase: string | undefined): VaultAnswerError {
  const where = phase === undefined ? '' : ` (${phase})`;
  return new VaultAnswerError(
    'gateway_timeout',
    `request ${requestId} is still being worked on${where}: look at GET /v1/requests/${requestId}`,
  );
}
