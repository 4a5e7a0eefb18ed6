/** HTTP by the byte: sends exactly what it is given and reads what comes back, with no client between. */
import { connect } from 'node:net';
import { signRequest } from '../../client/dist/signing/sign-request.js';
import type { KeyCredential } from '../../client/dist/signing/sign-request.js';

export interface RawResponse {
  readonly status: number;
  /** Names in lower case. */
  readonly headers: Readonly<Record<string, string>>;
  readonly text: string;
  /** The body as JSON; undefined when it is none. */
  readonly body: unknown;
}

export interface RawExchange {
  readonly responses: readonly RawResponse[];
  /** Whether the server had closed the connection. */
  readonly isClosed: boolean;
  readonly elapsedMs: number;
}

export interface RawOptions {
  /** Resolve after this many responses. */
  readonly expect?: number;
  /** Send FIN after the last byte. */
  readonly end?: boolean;
  /** Resolve only when the server closes. */
  readonly untilClosed?: boolean;
  readonly timeoutMs?: number;
  readonly method?: string;
  /** Called once the bytes are on their way: for what should trickle after them. */
  readonly trickle?: (write: (bytes: string | Buffer) => void) => NodeJS.Timeout;
  /** Sent on the same connection when the first response is there. */
  readonly afterFirst?: string | Buffer;
  /** How long to listen for more than was expected. */
  readonly lingerMs?: number;
}

/** Responses until there are enough of them, the server closes, or the time is over. */
export function rawExchange(
  baseUrl: string,
  bytes: string | Buffer,
  options: RawOptions = {},
): Promise<RawExchange> {
  const { expect = 1, end = false, untilClosed = false, timeoutMs = 25_000 } = options;
  const { afterFirst, lingerMs } = options;
  const startedAt = Date.now();
  return new Promise((resolve) => {
    const { hostname, port } = new URL(baseUrl);
    const socket = connect({ host: hostname, port: Number(port) });
    let received = Buffer.alloc(0);
    let responses: readonly RawResponse[] = [];
    let trickling: NodeJS.Timeout | undefined;
    let lingering: NodeJS.Timeout | undefined;
    const finish = (isClosed: boolean) => {
      clearTimeout(timer);
      clearTimeout(lingering);
      clearInterval(trickling);
      socket.destroy();
      resolve({ responses, isClosed, elapsedMs: Date.now() - startedAt });
    };
    const timer = setTimeout(() => finish(false), timeoutMs);
    socket.on('data', (chunk: Buffer) => {
      received = Buffer.concat([received, chunk]);
      const isFirst = responses.length === 0;
      responses = parseResponses(received, options.method === 'HEAD');
      if (afterFirst !== undefined && isFirst && responses.length > 0) socket.write(afterFirst);
      if (untilClosed || responses.length < expect) return;
      if (lingerMs === undefined) finish(false);
      else lingering ??= setTimeout(() => finish(false), lingerMs);
    });
    socket.on('error', () => undefined); // a reset is a close
    socket.on('end', () => finish(true));
    socket.on('close', () => finish(true));
    socket.write(asBytes(bytes), () => {
      trickling = options.trickle?.((more) => socket.writable && socket.write(asBytes(more)));
    });
    if (end) socket.end();
  });
}

/** The one response; fails when the server answers with none. */
export async function sendRaw(
  baseUrl: string,
  bytes: string | Buffer,
  options: RawOptions = {},
): Promise<RawResponse> {
  const { responses, isClosed } = await rawExchange(baseUrl, bytes, options);
  const [response] = responses;
  if (response === undefined) {
    throw new Error(isClosed ? 'closed without an answer' : 'no answer in time');
  }
  return response;
}

export interface RawRequest {
  readonly method?: string;
  readonly target: string;
  readonly headers?: readonly (readonly [string, string])[];
  readonly body?: string | Buffer;
}

/** A well-formed HTTP/1.1 message around whatever the parts are; bytes beyond ASCII are latin1. */
export function rawRequest(request: RawRequest): Buffer {
  const { method = 'GET', target, headers = [], body } = request;
  const bytes = asBytes(body ?? '');
  const lines = [`${method} ${target} HTTP/1.1`, 'host: vault'];
  for (const [name, value] of headers) lines.push(`${name}: ${value}`);
  if (body !== undefined) lines.push(`content-length: ${bytes.length}`);
  return Buffer.concat([Buffer.from(`${lines.join('\r\n')}\r\n\r\n`, 'latin1'), bytes]);
}

export interface SignedParts {
  readonly method?: string;
  readonly target: string;
  readonly body?: string | Buffer;
  readonly now?: number;
  readonly nonce?: Buffer;
}

export type AuthHeaders = Record<string, string>;

/** The four headers of a request that is in order, to be sent as they are or spoilt first. */
export function signedHeaders(credential: KeyCredential, parts: SignedParts): AuthHeaders {
  const { method = 'GET', target, body = '', now = Date.now(), nonce } = parts;
  return signRequest(credential, {
    method,
    target,
    body: asBytes(body),
    now,
    ...(nonce !== undefined && { nonce }),
  });
}

/** A signed request as bytes; JSON unless `type` says otherwise. */
export function signedRaw(
  credential: KeyCredential,
  parts: SignedParts,
  type: string | undefined = parts.body === undefined ? undefined : 'application/json',
): Buffer {
  const headers = Object.entries(signedHeaders(credential, parts));
  if (type !== undefined) headers.push(['content-type', type]);
  return rawRequest({ ...parts, headers });
}

function asBytes(value: string | Buffer): Buffer {
  return typeof value === 'string' ? Buffer.from(value, 'latin1') : value;
}

function parseResponses(received: Buffer, withoutBody: boolean): RawResponse[] {
  const responses: RawResponse[] = [];
  let at = 0;
  for (;;) {
    const headEnd = received.indexOf('\r\n\r\n', at);
    if (headEnd < 0) return responses;
    const [statusLine = '', ...lines] = received.toString('latin1', at, headEnd).split('\r\n');
    const status = Number(/^HTTP\/1\.1 (\d{3}) /.exec(statusLine)?.[1]);
    const headers = Object.fromEntries(
      lines.map((line) => {
        const colon = line.indexOf(':');
        return [line.slice(0, colon).toLowerCase(), line.slice(colon + 1).trim()];
      }),
    );
    const body = withoutBody ? emptyAt(headEnd + 4) : readBody(received, headEnd + 4, headers);
    if (body === undefined) return responses;
    at = body.next;
    if (status >= 200) {
      responses.push({ status, headers, text: body.text, body: parseJson(body.text) });
    }
  }
}

function emptyAt(next: number): { text: string; next: number } {
  return { text: '', next };
}

/** undefined while it is incomplete. */
function readBody(
  received: Buffer,
  start: number,
  headers: Record<string, string>,
): { text: string; next: number } | undefined {
  if (headers['transfer-encoding'] === 'chunked') return readChunks(received, start);
  const end = start + Number(headers['content-length'] ?? 0);
  return received.length < end
    ? undefined
    : { text: received.toString('utf8', start, end), next: end };
}

function readChunks(received: Buffer, start: number): { text: string; next: number } | undefined {
  const chunks: Buffer[] = [];
  for (let at = start; ;) {
    const lineEnd = received.indexOf('\r\n', at);
    if (lineEnd < 0) return undefined;
    const size = Number.parseInt(received.toString('latin1', at, lineEnd), 16);
    const next = lineEnd + 2 + size + 2;
    if (received.length < next) return undefined;
    if (size === 0) return { text: Buffer.concat(chunks).toString('utf8'), next };
    chunks.push(received.subarray(lineEnd + 2, lineEnd + 2 + size));
    at = next;
  }
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
