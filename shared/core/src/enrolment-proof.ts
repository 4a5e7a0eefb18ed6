/** How a person proves that they have their enrolment code without revealing it. */
import { createHmac } from 'node:crypto';
import { ByteWriter } from './bytes.js';
import { sha256 } from './hash.js';

export interface EnrolledKey {
  /** Base64url. */
  readonly credentialId: string;
  /** SubjectPublicKeyInfo (DER), base64url. */
  readonly publicKey: string;
}

/** The hash by which the vault knows a code, hex. */
export function enrollmentCodeSha256(code: string): string {
  return sha256('countersign enrolment code v1', code).toString('hex');
}

/**
 * Proves for one key that somebody has the code. HMAC-SHA-256 (hex) under the SHA-256 by which the vault knows the
 * code, over a domain, the credential id and the public key, each after its length (4 bytes, little-endian).
 */
export function enrollmentProof(code: string, key: EnrolledKey): string {
  return enrollmentProofUnder(enrollmentCodeSha256(code), key);
}

/** The same proof, from the code's hash (hex). */
export function enrollmentProofUnder(codeSha256: string, key: EnrolledKey): string {
  const hmac = createHmac('sha256', Buffer.from(codeSha256, 'hex'));
  return hmac.update(enrollmentMessage(key)).digest('hex');
}

/** What a proof covers. With a code that the vault never had, the Ed25519 signature over it is the proof. */
export function enrollmentMessage({ credentialId, publicKey }: EnrolledKey): Buffer {
  return new ByteWriter()
    .field('countersign enrolment proof v1')
    .field(credentialId)
    .field(Buffer.from(publicKey, 'base64url'))
    .bytes();
}
