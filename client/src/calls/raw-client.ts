/** Single requests, signed and sent as they are: no retries, no waiting, no judgement of the answer. */
import type { IncomingHttpHeaders } from 'node:http';
import {
  authenticateRequest,
  credentialHeader,
  type AuthenticationHeaders,
  type CallerCredential,
} from '../signing/sign-request.js';
import type { Transport } from '../transport/transport.js';

export interface ClientResponse {
  readonly status: number;
  /** Names in lower case. */
  readonly headers: IncomingHttpHeaders;
  readonly text: string;
  /** The text as JSON; undefined when it is none. */
  readonly body: unknown;
}

export interface ClientRequest {
  readonly method: string;
  /** Path and query as they go on the wire. */
  readonly target: string;
  /** Sent as JSON. */
  readonly body?: unknown;
  /** Beside those that the client sets, or in their place. */
  readonly headers?: Readonly<Record<string, string>>;
  /** `signed` when absent: all four headers. `credential`: API key or token alone. */
  readonly authentication?: 'signed' | 'credential' | 'none';
  /** Until the last byte of the answer, at most the transport's own. */
  readonly timeoutMs?: number;
  /** Hears the body of an answer 200 as it comes, instead of `text`; the time is then that between two pieces. */
  readonly onBytes?: (bytes: Buffer) => void;
}

/** Both reject with ExchangeError when no whole answer comes. */
export interface RawClient {
  send(request: ClientRequest): Promise<ClientResponse>;
  /** A read: the credential alone. */
  get(target: string): Promise<ClientResponse>;
  close(): void;
}

/** `now`: ms since the Unix epoch, as the service's clock has it. */
export function createRawClient(
  transport: Transport,
  credential: CallerCredential,
  now: () => number,
): RawClient {
  const authenticate = (
    request: ClientRequest,
    body: Buffer,
  ): AuthenticationHeaders | Promise<AuthenticationHeaders> => {
    const { method, target, authentication = 'signed' } = request;
    if (authentication === 'none') return {};
    if (authentication === 'credential') return credentialHeader(credential);
    return authenticateRequest(credential, { method, target, body, now: now() });
  };

  const send = async (request: ClientRequest): Promise<ClientResponse> => {
    const { method, target, headers = {}, timeoutMs, onBytes } = request;
    const body =
      request.body === undefined ? Buffer.alloc(0) : Buffer.from(JSON.stringify(request.body));
    const type = request.body === undefined ? {} : { 'content-type': 'application/json' };
    const answer = await transport.exchange({
      method,
      target,
      headers: { ...(await authenticate(request, body)), ...type, ...headers },
      body,
      ...(timeoutMs !== undefined && { timeoutMs }),
      ...(onBytes !== undefined && { onBytes }),
    });
    return { ...answer, body: parseJson(answer.text) };
  };

  return {
    send,
    get: (target) => send({ method: 'GET', target, authentication: 'credential' }),
    close: () => transport.close(),
  };
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
