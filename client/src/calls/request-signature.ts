import { randomBytes, sign, type KeyObject } from 'node:crypto';
import type { Bytes } from '@countersign/core/bytes.js';
import { transcriptDigest } from '@countersign/core/transcript.js';

export interface MachineCredential {
  /** UUID. */
  readonly apiKey: string;
  /** The caller's own Ed25519 key, by which the vault knows it; not the key that is imported. */
  readonly privateKey: KeyObject;
}

export interface RequestToSign {
  readonly method: string;
  /** Without query: this client's writes have none. */
  readonly path: string;
  /** As it goes on the wire. */
  readonly body: Bytes;
  /** ms since the Unix epoch. */
  readonly now: number;
}

/** The four authentication headers of one request (SPEC section 5), with a fresh nonce. */
export function signedHeaders(
  { apiKey, privateKey }: MachineCredential,
  { method, path, body, now }: RequestToSign,
): Record<string, string> {
  const nonce = randomBytes(8);
  const timestamp = Buffer.alloc(8);
  timestamp.writeBigUInt64LE(BigInt(now));
  const digest = transcriptDigest({
    method,
    path,
    query: '',
    body,
    credential: apiKey,
    timestampMs: now,
    nonce,
  });
  return {
    authorization: `ApiKey ${apiKey}`,
    'x-request-nonce': nonce.toString('hex'),
    'x-request-timestamp': timestamp.toString('hex'),
    'x-request-assertion': sign(null, digest, privateKey).toString('base64url'),
  };
}
