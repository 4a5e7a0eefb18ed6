/**
 * Arithmetic modulo the order L of the prime-order subgroup of edwards25519 (RFC 9591, section 6.1).
 *
 * Scalars are 32 bytes, little-endian. Everything here runs in constant time, since most operands are
 * nonces and key shares: a BigInt product would leak them through timing and could never be wiped.
 *
 * sodium-native has no scalar multiplication, so products come from libsodium's WebAssembly build. Its
 * JavaScript wrapper frees working memory without clearing it, which would leave shares and nonces in
 * the WebAssembly heap; so its exports are called directly, on one fixed scratch area that is wiped
 * after each use.
 */
import { timingSafeEqual } from 'node:crypto';
import * as libsodiumWrappers from 'libsodium-wrappers-sumo';
import { sodium } from '@countersign/custody/sodium.js';

export const SCALAR_BYTES = 32;

/** The exports of the WebAssembly module used here; pointers are offsets into `HEAPU8`. */
interface WasmSodium {
  readonly HEAPU8: Uint8Array;
  _malloc(size: number): number;
  _crypto_core_ed25519_scalar_mul(out: number, x: number, y: number): void;
  _crypto_core_ed25519_scalar_add(out: number, x: number, y: number): void;
}

// Awaited at import: a caller that could forget it would meet an uninitialised module at the worst
// moment, its first signature.
await libsodiumWrappers.ready;
const wasm = (libsodiumWrappers as unknown as { readonly libsodium: WasmSodium }).libsodium;

// Two operands. A product is written over its left operand, which the callee has read by then.
const LEFT = wasm._malloc(2 * SCALAR_BYTES);
const RIGHT = LEFT + SCALAR_BYTES;

/** The scalar 0. Not to be written to. */
export const ZERO_SCALAR: Uint8Array = new Uint8Array(SCALAR_BYTES);

/**
 * Returns x·y + z mod L in a new buffer, which the caller wipes when it is secret.
 * Operands are 32 bytes; values of L and above are reduced.
 */
export function scalarMulAdd(x: Uint8Array, y: Uint8Array, z: Uint8Array): Uint8Array {
  const heap = wasm.HEAPU8;
  heap.set(x, LEFT);
  heap.set(y, RIGHT);
  wasm._crypto_core_ed25519_scalar_mul(LEFT, LEFT, RIGHT);
  heap.set(z, RIGHT);
  wasm._crypto_core_ed25519_scalar_add(LEFT, LEFT, RIGHT);
  return takeResult(heap);
}

/** Returns x·y mod L in a new buffer, which the caller wipes when it is secret. */
export function scalarMul(x: Uint8Array, y: Uint8Array): Uint8Array {
  const heap = wasm.HEAPU8;
  heap.set(x, LEFT);
  heap.set(y, RIGHT);
  wasm._crypto_core_ed25519_scalar_mul(LEFT, LEFT, RIGHT);
  return takeResult(heap);
}

/** Returns x + y mod L in a new buffer, which the caller wipes when it is secret. */
export function scalarAdd(x: Uint8Array, y: Uint8Array): Uint8Array {
  const heap = wasm.HEAPU8;
  heap.set(x, LEFT);
  heap.set(y, RIGHT);
  wasm._crypto_core_ed25519_scalar_add(LEFT, LEFT, RIGHT);
  return takeResult(heap);
}

function takeResult(heap: Uint8Array): Uint8Array {
  const result = heap.slice(LEFT, RIGHT);
  heap.fill(0, LEFT, RIGHT + SCALAR_BYTES);
  // The compiled C code keeps operands in stack frames of the same heap. The same calls on zeros, from
  // the same stack depth, overwrite those frames.
  wasm._crypto_core_ed25519_scalar_mul(LEFT, LEFT, RIGHT);
  wasm._crypto_core_ed25519_scalar_add(LEFT, LEFT, RIGHT);
  return result;
}

/** Reduces a 64-byte little-endian number modulo L, into a new 32-byte buffer. */
export function scalarReduce(wide: Uint8Array): Uint8Array {
  const out = new Uint8Array(SCALAR_BYTES);
  sodium.crypto_core_ed25519_scalar_reduce(out, wide);
  return out;
}

/** True for the canonical encoding of a scalar below L (RFC 9591, section 6.1, DeserializeScalar). */
export function isCanonicalScalar(scalar: Uint8Array): boolean {
  if (scalar.length !== SCALAR_BYTES) return false;
  const wide = new Uint8Array(2 * SCALAR_BYTES);
  wide.set(scalar);
  const reduced = scalarReduce(wide);
  const canonical = timingSafeEqual(reduced, scalar);
  sodium.sodium_memzero(wide);
  sodium.sodium_memzero(reduced);
  return canonical;
}

/** True for 32 zero bytes; constant time. */
export function isZeroScalar(scalar: Uint8Array): boolean {
  return timingSafeEqual(scalar, ZERO_SCALAR);
}
