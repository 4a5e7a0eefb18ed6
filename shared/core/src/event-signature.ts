/** How an event is signed, for its senders and receivers. docs/reference/events.md is the contract. */
import type { Bytes } from './bytes.js';
import { sha256 } from './hash.js';

export const EVENT_SIGNATURE_VERSION = 'v1';
export const EVENT_SIGNATURE_ALGORITHM = 'ed25519';

/** Names of the headers, in lower case. */
export const EVENT_HEADERS = {
  id: 'x-countersign-event-id',
  type: 'x-countersign-event-type',
  timestamp: 'x-countersign-timestamp',
  signature: 'x-countersign-signature',
  keyId: 'x-countersign-signature-key-id',
  algorithm: 'x-countersign-signature-algorithm',
  signatureVersion: 'x-countersign-signature-version',
  contractVersion: 'x-countersign-contract-version',
} as const;

export interface EventToSign {
  readonly keyId: string;
  /** Time of this attempt, ms. */
  readonly timestamp: number;
  readonly eventId: string;
  /** The body, byte for byte. */
  readonly body: string;
}

/** Only the last field can hold a full stop, so no two events have one text. */
export function eventSignatureText({ keyId, timestamp, eventId, body }: EventToSign): string {
  const head = [EVENT_SIGNATURE_VERSION, EVENT_SIGNATURE_ALGORITHM, keyId, timestamp, eventId];
  return `${head.join('.')}.${body}`;
}

/** A public key as a JSON Web Key (RFC 8037). */
export interface EventKey {
  readonly kty: 'OKP';
  readonly crv: 'Ed25519';
  /** 32 bytes, base64url. */
  readonly x: string;
  /** Its thumbprint (RFC 7638). */
  readonly kid: string;
  readonly alg: 'EdDSA';
  readonly use: 'sig';
}

/** `publicKey`: Ed25519, 32 bytes. */
export function eventKeyOf(publicKey: Bytes): EventKey {
  const x = Buffer.from(publicKey).toString('base64url');
  const kid = sha256(`{"crv":"Ed25519","kty":"OKP","x":"${x}"}`).toString('base64url');
  return { kty: 'OKP', crv: 'Ed25519', x, kid, alg: 'EdDSA', use: 'sig' };
}
