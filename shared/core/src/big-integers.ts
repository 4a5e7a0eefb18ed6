/** Non-negative integers as big-endian bytes. */
import type { Bytes } from './bytes.js';
import { toHex } from './bytes.js';

/** An empty array is 0. */
export function bigIntFromBytes(bytes: Bytes): bigint {
  return BigInt(`0x0${toHex(bytes)}`);
}

/** Zero-filled on the left up to `length` bytes; without it as short as can be. RangeError when longer. */
export function bigIntToBytes(value: bigint, length?: number): Buffer {
  const hex = value.toString(16);
  const digits = length === undefined ? hex.length + (hex.length % 2) : 2 * length;
  if (value < 0n || hex.length > digits) throw new RangeError('integer does not fit');
  return Buffer.from(hex.padStart(digits, '0'), 'hex');
}

export function bitLengthOf(value: bigint): number {
  return value.toString(2).length;
}

/** The non-negative remainder, also of a negative `value`. */
export function modulo(value: bigint, modulus: bigint): bigint {
  const remainder = value % modulus;
  return remainder < 0n ? remainder + modulus : remainder;
}
