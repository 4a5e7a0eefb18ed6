import { createPublicKey } from 'node:crypto';
import { asBuffer, type Bytes } from './bytes.js';

/**
 * Bits of the modulus of an RSA SubjectPublicKeyInfo (RFC 5280, DER), or undefined for anything else: a
 * second spelling of the same key included, since keys are compared as bytes.
 */
export function rsaModulusBits(spki: Bytes): number | undefined {
  try {
    const key = createPublicKey({ key: asBuffer(spki), format: 'der', type: 'spki' });
    if (key.asymmetricKeyType !== 'rsa') return undefined;
    const isCanonical = key.export({ format: 'der', type: 'spki' }).equals(spki);
    return isCanonical ? key.asymmetricKeyDetails?.modulusLength : undefined;
  } catch {
    return undefined;
  }
}
