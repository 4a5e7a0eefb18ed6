/**
 * The part of libsodium this product uses, typed.
 *
 * Every signature check in every tier goes through this one library at one version: a signature that
 * one tier accepts and another refuses would be an outage or a hole.
 */
import sodiumNative from 'sodium-native';

/** Calls write into `out`; all points and scalars are 32 bytes, signatures 64. */
export interface Sodium {
  crypto_sign_verify_detached(
    signature: Uint8Array,
    message: Uint8Array,
    publicKey: Uint8Array,
  ): boolean;
  crypto_sign_detached(out: Uint8Array, message: Uint8Array, secretKey: Uint8Array): void;
  crypto_sign_seed_keypair(outPublic: Uint8Array, outSecret: Uint8Array, seed: Uint8Array): void;
  crypto_core_ed25519_is_valid_point(point: Uint8Array): boolean;
  crypto_core_ed25519_add(out: Uint8Array, p: Uint8Array, q: Uint8Array): void;
  crypto_core_ed25519_scalar_reduce(out: Uint8Array, hash64: Uint8Array): void;
  crypto_scalarmult_ed25519_base_noclamp(out: Uint8Array, scalar: Uint8Array): void;
  crypto_scalarmult_ed25519_noclamp(out: Uint8Array, scalar: Uint8Array, point: Uint8Array): void;
  /** X25519 (RFC 7748). Throws if the result would be zero. */
  crypto_scalarmult(out: Uint8Array, secret: Uint8Array, publicKey: Uint8Array): void;
  crypto_scalarmult_base(outPublic: Uint8Array, secret: Uint8Array): void;
  sodium_memzero(buffer: Uint8Array): void;
  randombytes_buf(buffer: Uint8Array): void;
}

export const sodium: Sodium = sodiumNative as unknown as Sodium;
