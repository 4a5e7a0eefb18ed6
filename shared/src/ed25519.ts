import { sodium } from './sodium.js';
import type { Bytes } from './bytes.js';

/**
 * Strict Ed25519 verification (RFC 8032 section 5.1.7, cofactorless): canonical S, no small-order R or
 * public key. `false` for anything that is not a valid signature, malformed lengths included.
 */
export function verifyEd25519(publicKey: Bytes, message: Bytes, signature: Bytes): boolean {
  if (publicKey.length !== 32 || signature.length !== 64) return false;
  return sodium.crypto_sign_verify_detached(signature, message, publicKey);
}

/** Canonical encoding of a point of prime order: low-order, mixed-order and non-canonical are not. */
export function isEd25519PublicKey(publicKey: Bytes): boolean {
  return publicKey.length === 32 && sodium.crypto_core_ed25519_is_valid_point(publicKey);
}
