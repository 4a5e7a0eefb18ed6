/** Checks whether a finished signature is one of a key, for whoever holds no key and believes nobody. */
import { KeyObject } from 'node:crypto';
import { ed25519ph } from '@noble/curves/ed25519.js';
import type { Bytes } from './bytes.js';
import { verifyEd25519 } from './ed25519.js';
import type { SignatureScheme } from './signature-schemes.js';
import { verifyRsa } from './verify-rsa.js';

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
  if (scheme.startsWith('rsa_')) return verifyRsa(scheme, publicKey, message, signature);
  if (publicKey instanceof KeyObject) return false;
  if (scheme === 'ed25519') return verifyEd25519(publicKey, message, signature);
  return scheme === 'ed25519ph' && verifyPrehashed(publicKey, message, signature);
}

/** RFC 8032, section 5.1.7, for Ed25519ph with an empty context. */
function verifyPrehashed(publicKey: Bytes, message: Bytes, signature: Bytes): boolean {
  try {
    return ed25519ph.verify(signature, message, publicKey, { zip215: false });
  } catch {
    return false;
  }
}
