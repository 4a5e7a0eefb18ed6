/**
 * Integers as BigInt and as bytes, always big-endian and unsigned (RFC 8017, sections 4.1 and 4.2).
 *
 * BigInt runs in variable time and cannot be wiped. It is for public values, for key generation (in a thread of its
 * own that then ends), and for secrets at the desk that they come from.
 */
import { toHex, type Bytes } from './bytes.js';

/** An empty array is 0. */
export function toBigInt(bytes: Bytes): bigint {
  return BigInt(`0x0${toHex(bytes)}`);
}

/**
 * Zero-filled on the left up to `length` bytes; without it, as short as possible, and empty for 0. RangeError when
 * longer.
 */
export function toBytes(value: bigint, length = byteLength(value)): Buffer {
  const hex = value === 0n ? '' : value.toString(16);
  if (value < 0n || hex.length > 2 * length) throw new RangeError('integer out of range');
  return Buffer.from(hex.padStart(2 * length, '0'), 'hex');
}

/** Bits that hold `value`: none for 0. */
export function bitLength(value: bigint): number {
  return value === 0n ? 0 : value.toString(2).length;
}

/** Bytes that hold `value`: none for 0. */
export function byteLength(value: bigint): number {
  return Math.ceil(bitLength(value) / 8);
}

/** The same memory without leading zero bytes. */
export function withoutLeadingZeros(bytes: Uint8Array): Uint8Array {
  const start = bytes.findIndex((byte) => byte !== 0);
  return start === -1 ? bytes.subarray(bytes.length) : bytes.subarray(start);
}

/** Bits of a big-endian integer, without making a BigInt of it. */
export function bitLengthOfBytes(bytes: Uint8Array): number {
  const significant = withoutLeadingZeros(bytes);
  const [top] = significant;
  return top === undefined ? 0 : 8 * (significant.length - 1) + (32 - Math.clz32(top));
}

/** The residue in 0..modulus−1, for negative values too. */
export function modulo(value: bigint, modulus: bigint): bigint {
  const rest = value % modulus;
  return rest < 0n ? rest + modulus : rest;
}
