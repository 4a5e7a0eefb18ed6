/** A public key as somebody has it at hand. */
import { createPublicKey, type KeyObject } from 'node:crypto';
import { parseBase64, type Bytes } from '@countersign/core/bytes.js';

export interface GivenPublicKey {
  readonly type: 'ed25519' | 'rsa';
  /** As signatures are verified by it: Ed25519, 32 bytes; RSA, SubjectPublicKeyInfo (DER). */
  readonly bytes: Bytes;
}

/** PEM, or base64 of 32 bytes or of a SubjectPublicKeyInfo. Undefined for what is neither an Ed25519 nor an RSA key. */
export function parsePublicKey(text: string): GivenPublicKey | undefined {
  const raw = parseBase64(text.trim());
  if (raw?.length === 32) return { type: 'ed25519', bytes: raw };
  try {
    const key =
      raw === undefined
        ? createPublicKey(text)
        : createPublicKey({ key: raw, format: 'der', type: 'spki' });
    return bytesOf(key);
  } catch {
    return undefined;
  }
}

function bytesOf(key: KeyObject): GivenPublicKey | undefined {
  if (key.asymmetricKeyType === 'rsa') {
    return { type: 'rsa', bytes: key.export({ format: 'der', type: 'spki' }) };
  }
  if (key.asymmetricKeyType !== 'ed25519') return undefined;
  return {
    type: 'ed25519',
    bytes: Buffer.from(key.export({ format: 'jwk' }).x ?? '', 'base64url'),
  };
}
