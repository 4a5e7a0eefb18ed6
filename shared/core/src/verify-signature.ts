/** Checks whether a finished signature is one of a key, for whoever holds no key and believes nobody. */
import { constants, createPublicKey, KeyObject, verify } from 'node:crypto';
import { ed25519ph } from '@noble/curves/ed25519.js';
import type { Bytes } from './bytes.js';
import { verifyEd25519 } from './ed25519.js';
import { parseRsaPublicKey } from './rsa-public-key.js';
import type { SignatureScheme } from './signature-schemes.js';

/**
 * False for anything that is no signature of the scheme; for an HMAC scheme too, which nobody can check who does
 * not hold the secret.
 *
 * @param publicKey as the ledger has it: Ed25519, 32 bytes; RSA, SubjectPublicKeyInfo (DER), or what `readRsaKey`
 *   made of that
 */
export function verifySignature(
  scheme: SignatureScheme,
  publicKey: Bytes | KeyObject,
  message: Bytes,
  signature: Bytes,
): boolean {
  const rsa = RSA_SCHEMES.get(scheme);
  if (rsa !== undefined) {
    const key = publicKey instanceof KeyObject ? publicKey : readRsaKey(publicKey);
    return key !== undefined && verifyRsa(rsa, key, message, signature);
  }
  if (publicKey instanceof KeyObject) return false;
  if (scheme === 'ed25519') return verifyEd25519(publicKey, message, signature);
  return scheme === 'ed25519ph' && verifyPrehashed(publicKey, message, signature);
}

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

/** RFC 8017, sections 8.1.2 and 8.2.2; the salt of PSS is as long as the hash. */
function verifyRsa(
  { hash, padding }: RsaScheme,
  key: KeyObject,
  message: Bytes,
  signature: Bytes,
): boolean {
  const saltLength = constants.RSA_PSS_SALTLEN_DIGEST;
  try {
    if (key.asymmetricKeyType !== 'rsa') return false;
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

/** RFC 8032, section 5.1.7, for Ed25519ph with an empty context. */
function verifyPrehashed(publicKey: Bytes, message: Bytes, signature: Bytes): boolean {
  try {
    return ed25519ph.verify(signature, message, publicKey, { zip215: false });
  } catch {
    return false;
  }
}
