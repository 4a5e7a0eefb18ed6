import { createPublicKey } from 'node:crypto';
import { asBuffer, type Bytes } from './bytes.js';
import { withoutLeadingZeros } from './big-integers.js';
import { DER_TAG, DerError, readDerSequence } from './der.js';

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

/** The modulus of an RSA SubjectPublicKeyInfo, without leading zeros; undefined for anything else. */
export function rsaModulus(spki: Bytes): Buffer | undefined {
  return rsaInteger(spki, 0);
}

/** Its public exponent, likewise. */
export function rsaExponent(spki: Bytes): Buffer | undefined {
  return rsaInteger(spki, 1);
}

/** `RSAPublicKey` (RFC 8017, A.1.1) is a sequence of modulus and exponent. */
function rsaInteger(spki: Bytes, index: 0 | 1): Buffer | undefined {
  try {
    const [, bits] = readDerSequence(asBuffer(spki));
    if (bits?.tag !== DER_TAG.bitString) return undefined;
    // the first byte tells how many bits of the last are unused: none
    const integer = readDerSequence(bits.content.subarray(1))[index];
    if (integer?.tag !== DER_TAG.integer) return undefined;
    return asBuffer(withoutLeadingZeros(integer.content));
  } catch (error) {
    if (error instanceof DerError) return undefined;
    throw error;
  }
}
