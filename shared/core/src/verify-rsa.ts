/** Checks RSA signatures, under keys that this repository reads itself. */
import { constants, createPublicKey, KeyObject, verify } from 'node:crypto';
import type { Bytes } from './bytes.js';
import { parseRsaPublicKey } from './rsa-public-key.js';
import type { SignatureScheme } from './signature-schemes.js';

/**
 * Reads a SubjectPublicKeyInfo (DER); undefined for anything but an RSA key. It takes as long as five verifications,
 * so it is for those who verify under one key again and again.
 */
export function readRsaKey(spki: Bytes): KeyObject | undefined {
  const key = parseRsaPublicKey(spki);
  if (key === undefined) return undefined;
  // only its numbers, so that OpenSSL parses nothing of the caller's
  const [n, e] = [key.modulus.toString('base64url'), key.exponent.toString('base64url')];
  return createPublicKey({ key: { kty: 'RSA', n, e }, format: 'jwk' });
}

interface RsaScheme {
  readonly hash: string;
  readonly padding: number;
}

const PKCS1 = constants.RSA_PKCS1_PADDING;
const PSS = constants.RSA_PKCS1_PSS_PADDING;

const RSA_SCHEMES: ReadonlyMap<SignatureScheme, RsaScheme> = new Map([
  ['rsa_pkcs1_sha256', { hash: 'sha256', padding: PKCS1 }],
  ['rsa_pkcs1_sha384', { hash: 'sha384', padding: PKCS1 }],
  ['rsa_pkcs1_sha512', { hash: 'sha512', padding: PKCS1 }],
  ['rsa_pss_sha256', { hash: 'sha256', padding: PSS }],
  ['rsa_pss_sha384', { hash: 'sha384', padding: PSS }],
  ['rsa_pss_sha512', { hash: 'sha512', padding: PSS }],
]);

/**
 * RFC 8017, sections 8.1.2 and 8.2.2; the salt of PSS is as long as the hash. False for a scheme that is not of RSA.
 *
 * @param publicKey SubjectPublicKeyInfo (DER), or what {@link readRsaKey} made of that
 */
export function verifyRsa(
  scheme: SignatureScheme,
  publicKey: Bytes | KeyObject,
  message: Bytes,
  signature: Bytes,
): boolean {
  const rsa = RSA_SCHEMES.get(scheme);
  const key = publicKey instanceof KeyObject ? publicKey : readRsaKey(publicKey);
  if (rsa === undefined || key?.asymmetricKeyType !== 'rsa') return false;
  const { hash, padding } = rsa;
  const saltLength = constants.RSA_PSS_SALTLEN_DIGEST;
  try {
    // OpenSSL accepts one without its leading zeros, which is another text of the same number
    if (signature.length !== byteLengthOf(key)) return false;
    return verify(hash, message, { key, padding, saltLength }, signature);
  } catch {
    return false;
  }
}

/** Length of the modulus. */
function byteLengthOf({ asymmetricKeyDetails }: KeyObject): number {
  return Math.ceil((asymmetricKeyDetails?.modulusLength ?? 0) / 8);
}
