/**
 * Bytes to the service and back. Nothing is changed on the way: the target goes out as it was signed, no
 * redirect is followed (it would carry the API key to whoever the answer names), nothing is sent twice.
 */
import http from 'node:http';
import https from 'node:https';
import { parseServiceUrl } from './service-url.js';
import { ExchangeError, type Transport, type WireRequest } from './transport.js';

export interface TransportOptions {
  readonly baseUrl: string;
  /** Certificates, PEM, that the service's is checked against instead of the system's. */
  readonly ca?: string;
  /**
   * Of one exchange, until the last byte of the answer: 60,000 when absent. Longer than the longest wait
   * that a request may prefer (30 s).
   */
  readonly timeoutMs?: number;
  /** Bytes of an answer's body, 64 MiB when absent; a longer one is an ExchangeError. */
  readonly maxAnswerBytes?: number;
}

const TIMEOUT_MS = 60_000;
/** An export of an audit log is by far the longest answer. */
const MAX_ANSWER_BYTES = 64 * 2 ** 20;

/** Throws RangeError when `baseUrl` is none that may be used. Close it: idle connections stay open. */
export function openTransport(options: TransportOptions): Transport {
  const url = parseServiceUrl(options.baseUrl);
  const { timeoutMs = TIMEOUT_MS, maxAnswerBytes = MAX_ANSWER_BYTES } = options;
  const isSecure = url.protocol === 'https:';
  const agent = isSecure
    ? new https.Agent({ keepAlive: true, ...(options.ca !== undefined && { ca: options.ca }) })
    : new http.Agent({ keepAlive: true });
  const { request: open } = isSecure ? https : http;
  // the brackets of an IPv6 address belong to the URL alone
  const hostname = url.hostname.replace(/^\[(.*)\]$/, '$1');
  return {
    exchange: (request) =>
      new Promise((resolve, reject) => {
        const fail = (error: unknown): void => reject(exchangeError(url.origin, error));
        const sent = open({
          agent,
          hostname,
          port: url.port,
          method: request.method,
          path: request.target,
          headers: { ...request.headers, ...lengthHeader(request) },
        });
        const waitMs = Math.min(request.timeoutMs ?? timeoutMs, timeoutMs);
        const timer = setTimeout(() => sent.destroy(systemError('ETIMEDOUT')), waitMs);
        sent.on('error', fail);
        sent.on('close', () => clearTimeout(timer));
        sent.on('response', (response) => {
          const { onBytes } = request;
          const take = (bytes: Buffer) => {
            timer.refresh();
            onBytes?.(bytes);
          };
          const isHeard = onBytes !== undefined && response.statusCode === 200;
          const read = isHeard ? hearBody(response, take) : readBody(response, maxAnswerBytes);
          read.then(
            (text) =>
              resolve({ status: response.statusCode ?? 0, headers: response.headers, text }),
            fail,
          );
        });
        sent.end(request.body);
      }),
    close: () => agent.destroy(),
  };
}

/** Stated also where it is 0, so that no request is sent in chunks. */
function lengthHeader({ method, body }: WireRequest): Record<string, string> {
  const hasNone = body.length === 0 && (method === 'GET' || method === 'HEAD');
  return hasNone ? {} : { 'content-length': String(body.length) };
}

async function hearBody(
  response: http.IncomingMessage,
  take: (bytes: Buffer) => void,
): Promise<''> {
  for await (const bytes of response as AsyncIterable<Buffer>) take(bytes);
  return '';
}

async function readBody(response: http.IncomingMessage, maxBytes: number): Promise<string> {
  const chunks: Buffer[] = [];
  let length = 0;
  for await (const chunk of response as AsyncIterable<Buffer>) {
    length += chunk.length;
    if (length > maxBytes) {
      throw new ExchangeError('bad_answer', `the answer is longer than ${maxBytes} bytes`);
    }
    chunks.push(chunk);
  }
  return Buffer.concat(chunks).toString('utf8');
}

function systemError(code: string): Error {
  return Object.assign(new Error(code), { code });
}

/** Errors of the system are told by their code alone, e.g. ECONNREFUSED. */
function exchangeError(origin: string, error: unknown): ExchangeError {
  if (error instanceof ExchangeError) return error;
  const code = (error as { code?: unknown } | null)?.code;
  const reason = typeof code === 'string' ? ` (${code})` : '';
  return new ExchangeError('unreachable', `no answer from ${origin}${reason}`);
}
