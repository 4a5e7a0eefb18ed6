/** A machine user's side of the API: signs each request as SPEC section 5 says and sends it. */
import { randomBytes, sign, type KeyObject } from 'node:crypto';
import http from 'node:http';
import { transcriptDigest } from '@countersign/core/transcript.js';

export interface ClientCredential {
  readonly apiKey: string;
  readonly privateKey: KeyObject;
}

export interface ClientResponse {
  readonly status: number;
  readonly headers: http.IncomingHttpHeaders;
  readonly text: string;
  /** The body as JSON; undefined when it is none. */
  readonly body: unknown;
}

export interface ClientRequest {
  readonly method: string;
  /** Path and query as they go on the wire. */
  readonly target: string;
  readonly body?: unknown;
  readonly headers?: Readonly<Record<string, string>>;
}

export interface SigningClient {
  /** Signed with all four headers. */
  send(request: ClientRequest): Promise<ClientResponse>;
  /** A read: the credential alone. */
  get(target: string): Promise<ClientResponse>;
  close(): void;
}

export function createSigningClient(baseUrl: string, credential: ClientCredential): SigningClient {
  const agent = new http.Agent({ keepAlive: true });
  return {
    send({ method, target, body, headers = {} }) {
      const bytes = body === undefined ? Buffer.alloc(0) : Buffer.from(JSON.stringify(body));
      const signed = signRequest(credential, { method, target, body: bytes, now: Date.now() });
      const type = body === undefined ? {} : { 'content-type': 'application/json' };
      return exchange(agent, baseUrl, {
        method,
        target,
        body: bytes,
        headers: { ...signed, ...type, ...headers },
      });
    },
    get: (target) =>
      exchange(agent, baseUrl, {
        method: 'GET',
        target,
        body: Buffer.alloc(0),
        headers: { authorization: `ApiKey ${credential.apiKey}` },
      }),
    close: () => agent.destroy(),
  };
}

/** The four authentication headers of one request. */
export function signRequest(
  { apiKey, privateKey }: ClientCredential,
  request: { method: string; target: string; body: Buffer; now: number; nonce?: Buffer },
): Record<string, string> {
  const [path = '', ...rest] = request.target.split('?');
  const nonce = request.nonce ?? randomBytes(8);
  const timestamp = Buffer.alloc(8);
  timestamp.writeBigUInt64LE(BigInt(request.now));
  const digest = transcriptDigest({
    method: request.method,
    path,
    query: rest.join('?'),
    body: request.body,
    credential: apiKey,
    timestampMs: request.now,
    nonce,
  });
  return {
    authorization: `ApiKey ${apiKey}`,
    'x-request-nonce': nonce.toString('hex'),
    'x-request-timestamp': timestamp.toString('hex'),
    'x-request-assertion': sign(null, digest, privateKey).toString('base64url'),
  };
}

const TIMEOUT_MS = 60_000;

function exchange(
  agent: http.Agent,
  baseUrl: string,
  request: { method: string; target: string; body: Buffer; headers: Record<string, string> },
): Promise<ClientResponse> {
  const { hostname, port } = new URL(baseUrl);
  return new Promise((resolve, reject) => {
    const sent = http.request({
      agent,
      hostname,
      port,
      method: request.method,
      path: request.target,
      headers: { ...request.headers, 'content-length': request.body.length },
      timeout: TIMEOUT_MS,
    });
    sent.on('timeout', () => sent.destroy(new Error('no answer in time')));
    sent.on('error', reject);
    sent.on('response', (response) => {
      const chunks: Buffer[] = [];
      response.on('data', (chunk: Buffer) => chunks.push(chunk));
      response.on('error', reject);
      response.on('end', () => {
        const text = Buffer.concat(chunks).toString('utf8');
        const { statusCode = 0, headers } = response;
        resolve({ status: statusCode, headers, text, body: parseJson(text) });
      });
    });
    sent.end(request.body);
  });
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
