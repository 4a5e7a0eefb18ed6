/** How a person proves to have their enrolment code, without saying it: the code stays with them. */
import { createHmac } from 'node:crypto';
import { ByteWriter } from './bytes.js';
import { sha256 } from './hash.js';

export interface EnrolledKey {
  /** Base64url. */
  readonly credentialId: string;
  /** SubjectPublicKeyInfo (DER), base64url. */
  readonly publicKey: string;
}

/** By what the vault knows a code: hex. */
export function enrollmentCodeSha256(code: string): string {
  return sha256('countersign enrolment code v1', code).toString('hex');
}

/**
 * What proves that somebody has the code, for one key: HMAC-SHA-256 (hex) under the SHA-256 by which the vault knows the code, over
 * a domain, the credential id and the public key, each after its length (4 bytes, little-endian).
 */
export function enrollmentProof(code: string, key: EnrolledKey): string {
  return enrollmentProofUnder(enrollmentCodeSha256(code), key);
}

/** The same, by who knows no more of the code than its hash (hex). */
export function enrollmentProofUnder(codeSha256: string, key: EnrolledKey): string {
  const hmac = createHmac('sha256', Buffer.from(codeSha256, 'hex'));
  return hmac.update(enrollmentMessage(key)).digest('hex');
}

/** What a proof covers: with a code that the vault never had, the Ed25519 signature over it is the proof. */
export function enrollmentMessage({ credentialId, publicKey }: EnrolledKey): Buffer {
  return new ByteWriter()
    .field('countersign enrolment proof v1')
    .field(credentialId)
    .field(Buffer.from(publicKey, 'base64url'))
    .bytes();
}
