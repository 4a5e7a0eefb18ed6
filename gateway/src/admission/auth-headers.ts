/** The four authentication headers: only their form is checked here, nothing is looked up. */
import type { IncomingMessage } from 'node:http';
import { INVALID_CREDENTIALS } from '@countersign/vault/authentication/refused-credential.js';
import { parseBase64Url } from '@countersign/core/bytes.js';
import { refuse, type Refusal } from '@countersign/core/errors.js';
import type { CredentialScheme } from '@countersign/core/evidence.js';
import { UUID_PATTERN } from '@countersign/core/hash.js';

export interface Credential {
  readonly scheme: CredentialScheme;
  readonly credential: string;
}

export interface SigningHeaders {
  readonly nonce: Buffer;
  readonly timestampMs: number;
  /** Empty if the header holds no base64url: that verifies under no key. */
  readonly assertion: Buffer;
}

const AUTHORIZATION = 'authorization';
const NONCE = 'x-request-nonce';
const TIMESTAMP = 'x-request-timestamp';
const ASSERTION = 'x-request-assertion';
const SIGNING_HEADERS = [NONCE, TIMESTAMP, ASSERTION] as const;
const SIXTEEN_HEX = /^[0-9a-f]{16}$/;
const MAX_ASSERTION_CHARS = 8_192;

/** 400 when one of the four is repeated: Node would silently take the first, or join them. */
export function refuseDuplicateHeaders(request: IncomingMessage): Refusal | undefined {
  const seen = new Set<string>();
  for (let index = 0; index < request.rawHeaders.length; index += 2) {
    const name = request.rawHeaders[index]!.toLowerCase();
    if (name !== AUTHORIZATION && !(SIGNING_HEADERS as readonly string[]).includes(name)) continue;
    if (seen.has(name)) return refuse('parse_error', `the header ${name} is repeated`);
    seen.add(name);
  }
  return undefined;
}

/** 401 when it is missing or does not have the form of a credential. */
export function parseCredential(request: IncomingMessage): Credential | Refusal {
  const value = request.headers[AUTHORIZATION];
  if (value === undefined) return refuse('unauthorized', `the header ${AUTHORIZATION} is missing`);
  const match = /^(ApiKey|Bearer) ([\x21-\x7e]+)$/.exec(value); // the parser has trimmed it
  const scheme = match?.[1] as CredentialScheme | undefined;
  const credential = match?.[2];
  if (scheme === undefined || credential === undefined) {
    return refuse('unauthorized', INVALID_CREDENTIALS);
  }
  if (scheme === 'ApiKey' && !UUID_PATTERN.test(credential)) {
    return refuse('unauthorized', INVALID_CREDENTIALS);
  }
  return { scheme, credential };
}

/** Whether a read carries signing headers although it need not: they are checked then. */
export function hasSigningHeaders(request: IncomingMessage): boolean {
  return SIGNING_HEADERS.some((name) => request.headers[name] !== undefined);
}

/** The headers that sign a request; 401 when one is missing, 400 when nonce or timestamp is malformed. */
export function parseSigningHeaders(request: IncomingMessage): SigningHeaders | Refusal {
  for (const name of SIGNING_HEADERS) {
    if (request.headers[name] === undefined) {
      return refuse('unauthorized', `the header ${name} is missing`);
    }
  }
  const nonce = String(request.headers[NONCE]);
  const timestamp = String(request.headers[TIMESTAMP]);
  if (!SIXTEEN_HEX.test(nonce)) {
    return refuse('parse_error', `${NONCE}: must be 16 lower-case hex characters`);
  }
  if (!SIXTEEN_HEX.test(timestamp)) {
    return refuse('parse_error', `${TIMESTAMP}: must be 16 lower-case hex characters`);
  }
  const assertion = String(request.headers[ASSERTION]);
  const bytes = assertion.length > MAX_ASSERTION_CHARS ? undefined : parseBase64Url(assertion);
  return {
    nonce: Buffer.from(nonce, 'hex'),
    timestampMs: parseTimestamp(timestamp),
    assertion: bytes ?? Buffer.alloc(0),
  };
}

/** Little-endian u64; a value beyond the safe integers is stale whatever it is exactly. */
function parseTimestamp(hex: string): number {
  const value = Buffer.from(hex, 'hex').readBigUInt64LE();
  return value > BigInt(Number.MAX_SAFE_INTEGER) ? Number.MAX_SAFE_INTEGER : Number(value);
}
