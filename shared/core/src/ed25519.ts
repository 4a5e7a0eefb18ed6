import sodiumNative from 'sodium-native';
import type { Bytes } from './bytes.js';

/**
 * All that a node without keys may do with libsodium. Every signature check in every tier uses this one library at one
 * version. A signature that one tier accepts and another refuses would be an outage or a hole.
 */
interface Ed25519Verification {
  crypto_sign_verify_detached(signature: Bytes, message: Bytes, publicKey: Bytes): boolean;
  crypto_core_ed25519_is_valid_point(point: Bytes): boolean;
}

const sodium = sodiumNative as unknown as Ed25519Verification;

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
