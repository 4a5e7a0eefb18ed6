/**
 * RSA public keys as SubjectPublicKeyInfo (RFC 5280) in DER, read by this repository's own code: what OpenSSL accepts
 * as a key changes with its versions, and every node has to agree.
 */
import { asBuffer, type Bytes } from './bytes.js';
import { bitLengthOfBytes, toBigInt, withoutLeadingZeros } from './big-integers.js';
import { DER_TAG, DerError, readDerSequence, writeDer, writeDerInteger } from './der.js';

/** Big-endian, without leading zeros. */
export interface RsaPublicKey {
  readonly modulus: Buffer;
  readonly exponent: Buffer;
}

/** OpenSSL's bound. */
const MAX_MODULUS_BITS = 16_384;
const MAX_EXPONENT_BYTES = 8;
/** SEQUENCE of rsaEncryption (RFC 8017, A.1) and NULL. */
const RSA_ENCRYPTION = Buffer.from('300d06092a864886f70d0101010500', 'hex');

/** Undefined for anything but the one spelling of an RSA key: keys are compared as bytes. */
export function parseRsaPublicKey(spki: Bytes): RsaPublicKey | undefined {
  const [modulus, exponent] = [rsaInteger(spki, 0), rsaInteger(spki, 1)];
  if (modulus === undefined || exponent === undefined) return undefined;
  const key = { modulus, exponent };
  return isPossible(key) && rsaSpkiOf(key).equals(spki) ? key : undefined;
}

function isPossible({ modulus, exponent }: RsaPublicKey): boolean {
  const isOdd = (bytes: Buffer) => ((bytes.at(-1) ?? 0) & 1) === 1;
  if (bitLengthOfBytes(modulus) > MAX_MODULUS_BITS) return false;
  if (exponent.length > MAX_EXPONENT_BYTES || bitLengthOfBytes(exponent) < 2) return false;
  return isOdd(modulus) && isOdd(exponent) && modulus.length > exponent.length;
}

/** SubjectPublicKeyInfo, DER. */
export function rsaSpkiOf({ modulus, exponent }: RsaPublicKey): Buffer {
  const integers = [modulus, exponent].map((bytes) => writeDerInteger(toBigInt(bytes)));
  const key = writeDer(DER_TAG.sequence, ...integers);
  // the last byte has no unused bits
  const bits = writeDer(DER_TAG.bitString, Buffer.alloc(1), key);
  return writeDer(DER_TAG.sequence, RSA_ENCRYPTION, bits);
}

/** Bits of the modulus of an RSA key in its one spelling; undefined for anything else. */
export function rsaModulusBits(spki: Bytes): number | undefined {
  const key = parseRsaPublicKey(spki);
  return key && bitLengthOfBytes(key.modulus);
}

/** The modulus of an RSA SubjectPublicKeyInfo, without leading zeros; undefined for anything else. */
export function rsaModulus(spki: Bytes): Buffer | undefined {
  return rsaInteger(spki, 0);
}

/** The public exponent of an RSA SubjectPublicKeyInfo, likewise. */
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
