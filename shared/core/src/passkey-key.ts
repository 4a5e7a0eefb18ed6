/**
 * Public keys of passkeys, each in one spelling: SubjectPublicKeyInfo (RFC 5280, DER), which a browser gives
 * (`getPublicKey()`, W3C Web Authentication Level 3, section 5.2.1). The specification requires every browser to know
 * these kinds: COSE algorithms -7 (ES256), -8 (EdDSA) and -257 (RS256).
 */
import { p256 } from '@noble/curves/nist.js';
import { asBuffer, type Bytes } from './bytes.js';
import { isEd25519PublicKey } from './ed25519.js';
import { parseRsaPublicKey, rsaModulusBits } from './rsa-public-key.js';

export type PasskeyAlgorithm = 'es256' | 'eddsa' | 'rs256';

/** id-ecPublicKey, prime256v1, an uncompressed point follows (RFC 5480). */
const P256_HEAD = Buffer.from('3059301306072a8648ce3d020106082a8648ce3d030107034200', 'hex');
/** id-Ed25519 (RFC 8410). */
const ED25519_HEAD = Buffer.from('302a300506032b6570032100', 'hex');
/** 65537: another exponent could make a check cost much more. */
const USUAL_EXPONENT = Buffer.from('010001', 'hex');
const MIN_MODULUS_BITS = 2_048;
const MAX_MODULUS_BITS = 4_096;
const UNCOMPRESSED = 4;

/** Undefined for a key of another kind, a second spelling of one, and a weak one. */
export function passkeyAlgorithmOf(spki: Bytes): PasskeyAlgorithm | undefined {
  if (startsWith(spki, P256_HEAD))
    return isP256Point(rawKeyOf('es256', spki)) ? 'es256' : undefined;
  if (startsWith(spki, ED25519_HEAD)) {
    return isEd25519PublicKey(rawKeyOf('eddsa', spki)) ? 'eddsa' : undefined;
  }
  return isUsualRsaKey(spki) ? 'rs256' : undefined;
}

/** The raw key in it: the point of an ES256 key (65 bytes), or an EdDSA key (32). */
export function rawKeyOf(algorithm: 'es256' | 'eddsa', spki: Bytes): Bytes {
  return spki.subarray((algorithm === 'es256' ? P256_HEAD : ED25519_HEAD).length);
}

function startsWith(bytes: Bytes, head: Bytes): boolean {
  return asBuffer(bytes).subarray(0, head.length).equals(head);
}

function isP256Point(point: Bytes): boolean {
  if (point.length !== 65 || point[0] !== UNCOMPRESSED) return false;
  try {
    p256.Point.fromBytes(point).assertValidity();
    return true;
  } catch {
    return false;
  }
}

function isUsualRsaKey(spki: Bytes): boolean {
  const bits = rsaModulusBits(spki) ?? 0;
  return (
    bits >= MIN_MODULUS_BITS &&
    bits <= MAX_MODULUS_BITS &&
    parseRsaPublicKey(spki)?.exponent.equals(USUAL_EXPONENT) === true
  );
}
