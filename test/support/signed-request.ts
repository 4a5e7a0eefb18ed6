/** A signed request as bytes: to be sent, captured, sent again, or carried past the gateway. */
import { requestIdOf, type Evidence } from '@countersign/core/evidence.js';
import { transcriptDigest } from '@countersign/core/transcript.js';
import type { ClientResponse } from '../../client/dist/calls/raw-client.js';
import { signRequest } from '../../client/dist/signing/sign-request.js';
import type { KeyCredential } from '../../client/dist/signing/sign-request.js';
import { checkResponse } from './checked-client.ts';

export interface SignedRequest {
  readonly method: string;
  readonly target: string;
  readonly body: Buffer;
  readonly headers: Readonly<Record<string, string>>;
  readonly evidence: Evidence;
  readonly requestId: string;
}

export interface SigningOptions {
  readonly now?: number;
  /** Spaces behind the body. */
  readonly padding?: number;
}

export function signedRequest(
  credential: KeyCredential,
  method: string,
  target: string,
  body: unknown,
  { now = Date.now(), padding = 0 }: SigningOptions = {},
): SignedRequest {
  const text = body === undefined ? '' : JSON.stringify(body) + ' '.repeat(padding);
  const bytes = Buffer.from(text);
  const headers = signRequest(credential, { method, target, body: bytes, now });
  const [path = '', query = ''] = target.split('?');
  const evidence: Evidence = {
    method,
    path,
    query,
    body: bytes,
    scheme: 'ApiKey',
    credential: credential.apiKey,
    timestampMs: now,
    nonce: Buffer.from(headers['x-request-nonce']!, 'hex'),
    assertion: Buffer.from(headers['x-request-assertion']!, 'base64url'),
  };
  const requestId = requestIdOf(transcriptDigest(evidence));
  return { method, target, body: bytes, headers, evidence, requestId };
}

/** `path`: of a wallet, or of a key that stands by itself. */
export function rawSignRequest(
  credential: KeyCredential,
  path: string,
  message: Buffer,
  options?: { now?: number },
): SignedRequest {
  const encoding = path.startsWith('/v1/keys/') ? { message_encoding: 'base64' } : {};
  const body = { message: message.toString('base64'), ...encoding };
  return signedRequest(credential, 'POST', `${path}/raw-sign`, body, options);
}

/** Sends it as it is; the answer is held against the API description. Rejects when none comes. */
export async function deliver(
  baseUrl: string,
  request: SignedRequest,
  moreHeaders: Readonly<Record<string, string>> = {},
): Promise<ClientResponse> {
  const { method, target, body, headers } = request;
  const response = await fetch(baseUrl + target, {
    method,
    headers: { ...headers, 'content-type': 'application/json', ...moreHeaders },
    ...(body.length > 0 && { body: new Uint8Array(body) }),
    signal: AbortSignal.timeout(40_000),
  });
  const text = await response.text();
  const answer: ClientResponse = {
    status: response.status,
    headers: Object.fromEntries(response.headers),
    text,
    body: text === '' ? undefined : JSON.parse(text),
  };
  checkResponse(method, target, answer);
  return answer;
}
