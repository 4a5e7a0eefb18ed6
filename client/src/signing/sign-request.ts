/** The signature of a request: the one implementation for every client of the vault. */
import { randomBytes, sign, type KeyObject } from 'node:crypto';
import type { Bytes } from '@countersign/core/bytes.js';
import { transcriptDigest, type Transcript } from '@countersign/core/transcript.js';

export interface KeyCredential {
  /** UUID. */
  readonly apiKey: string;
  /** The caller's own Ed25519 key, by which the vault knows it; not a key that the vault holds. */
  readonly privateKey: KeyObject;
}

/** For a caller's key that lies in an HSM, a KMS or a token. */
export interface ExternalCredential {
  /** UUID. */
  readonly apiKey: string;
  /**
   * Signs the 32 bytes it is given with Ed25519 (RFC 8032, not Ed25519ph) and gives the 64 bytes of the
   * signature. What it throws comes out of the call that needed it.
   */
  readonly sign: (digest: Uint8Array) => Promise<Uint8Array> | Uint8Array;
}

export type MachineCredential = KeyCredential | ExternalCredential;

/** Of a person: a token of their identity provider, and a passkey. */
export interface PersonCredential {
  readonly token: string;
  /**
   * Gives the UTF-8 JSON of a WebAuthn assertion response (`toJSON()` of what a browser gives) whose challenge is these 32
   * bytes. What it throws comes out of the call that needed it.
   */
  readonly assert: (digest: Uint8Array) => Promise<Uint8Array> | Uint8Array;
}

export type CallerCredential = MachineCredential | PersonCredential;

export interface RequestToSign {
  readonly method: string;
  /** Path and query as they go on the wire. */
  readonly target: string;
  /** As it goes on the wire; empty for none. */
  readonly body: Bytes;
  /** ms since the Unix epoch. */
  readonly now: number;
  /** 8 bytes, never used before; random when absent. */
  readonly nonce?: Buffer;
}

export type AuthenticationHeaders = Record<string, string>;

/** The four authentication headers of one request, by a key at hand. */
export function signRequest(
  { apiKey, privateKey }: KeyCredential,
  request: RequestToSign,
): AuthenticationHeaders {
  const transcript = transcriptOf(apiKey, request);
  return headersOf({ apiKey }, transcript, signTranscript(transcript, privateKey));
}

/** The same by any credential. Throws TypeError when an external signer gives something else than 64 bytes. */
export async function authenticateRequest(
  credential: CallerCredential,
  request: RequestToSign,
): Promise<AuthenticationHeaders> {
  if ('privateKey' in credential) return signRequest(credential, request);
  if ('token' in credential) {
    const transcript = transcriptOf(credential.token, request);
    return headersOf(credential, transcript, await credential.assert(transcriptDigest(transcript)));
  }
  const transcript = transcriptOf(credential.apiKey, request);
  const assertion = await credential.sign(transcriptDigest(transcript));
  if (assertion.length !== 64) throw new TypeError('an Ed25519 signature has 64 bytes');
  return headersOf(credential, transcript, assertion);
}

/** The assertion: Ed25519 over the digest of the transcript, 64 bytes. */
export function signTranscript(transcript: Transcript, privateKey: KeyObject): Buffer {
  return sign(null, transcriptDigest(transcript), privateKey);
}

/** The header of a read: the credential alone. */
export function credentialHeader(of: NamedCredential): AuthenticationHeaders {
  return { authorization: 'token' in of ? `Bearer ${of.token}` : `ApiKey ${of.apiKey}` };
}

type NamedCredential = Pick<MachineCredential, 'apiKey'> | Pick<PersonCredential, 'token'>;

function transcriptOf(
  credential: string,
  { method, target, body, now, nonce }: RequestToSign,
): Transcript {
  const [path = '', ...rest] = target.split('?');
  return {
    method,
    path,
    query: rest.join('?'),
    body,
    credential,
    timestampMs: now,
    nonce: nonce ?? randomBytes(8),
  };
}

function headersOf(
  of: NamedCredential,
  transcript: Transcript,
  assertion: Bytes,
): AuthenticationHeaders {
  const timestamp = Buffer.alloc(8);
  timestamp.writeBigUInt64LE(BigInt(transcript.timestampMs));
  return {
    ...credentialHeader(of),
    'x-request-nonce': Buffer.from(transcript.nonce).toString('hex'),
    'x-request-timestamp': timestamp.toString('hex'),
    'x-request-assertion': Buffer.from(assertion).toString('base64url'),
  };
}
