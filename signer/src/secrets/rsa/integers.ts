/**
 * Integers as BigInt and as bytes, always big-endian and unsigned (RFC 8017, sections 4.1 and 4.2).
 *
 * BigInt runs in variable time and cannot be wiped. In signing it meets public values only; in key
 * generation it holds shares, which is why a generation runs in a thread of its own that then ends.
 */
import { toHex } from '@countersign/core/bytes.js';

export function toBigInt(bytes: Uint8Array): bigint {
  return bytes.length === 0 ? 0n : BigInt(`0x${toHex(bytes)}`);
}

/** `value` in exactly `length` bytes. Throws RangeError when it is negative or does not fit. */
export function toBytes(value: bigint, length: number): Buffer {
  const hex = value.toString(16);
  if (value < 0n || hex.length > 2 * length) throw new RangeError('integer out of range');
  return Buffer.from(hex.padStart(2 * length, '0'), 'hex');
}

/** The same memory without leading zero bytes. */
export function withoutLeadingZeros(bytes: Uint8Array): Uint8Array {
  const start = bytes.findIndex((byte) => byte !== 0);
  return start === -1 ? bytes.subarray(bytes.length) : bytes.subarray(start);
}

export function bitLength(value: bigint): number {
  return value === 0n ? 0 : value.toString(2).length;
}

/** Bytes that hold `value`: none for 0. */
export function byteLength(value: bigint): number {
  return Math.ceil(bitLength(value) / 8);
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

/** base^exponent mod modulus by square and multiply: the reference OpenSSL is held against. */
export function modPow(base: bigint, exponent: bigint, modulus: bigint): bigint {
  let result = 1n;
  let square = modulo(base, modulus);
  const bits = exponent.toString(2);
  for (let place = 1; place <= bits.length; place += 1) {
    if (bits.at(-place) === '1') result = (result * square) % modulus;
    square = (square * square) % modulus;
  }
  return result % modulus;
}

/** The inverse, or undefined when there is none. */
export function modInverse(value: bigint, modulus: bigint): bigint | undefined {
  let [previous, current] = [modulus, modulo(value, modulus)];
  let [previousFactor, factor] = [0n, 1n];
  while (current !== 0n) {
    const quotient = previous / current;
    [previous, current] = [current, previous - quotient * current];
    [previousFactor, factor] = [factor, previousFactor - quotient * factor];
  }
  return previous === 1n ? modulo(previousFactor, modulus) : undefined;
}

export function gcd(left: bigint, right: bigint): bigint {
  let [previous, current] = [left, right];
  while (current !== 0n) [previous, current] = [current, previous % current];
  return previous;
}

/** The Jacobi symbol (value / modulus) for an odd, positive modulus: 0 when they share a factor. */
export function jacobi(value: bigint, modulus: bigint): -1 | 0 | 1 {
  let [top, bottom] = [modulo(value, modulus), modulus];
  let isNegative = false;
  while (top !== 0n) {
    let twos = 0n;
    while (((top >> twos) & 1n) === 0n) twos += 1n;
    top >>= twos;
    const mod8 = bottom & 7n;
    if ((twos & 1n) === 1n && (mod8 === 3n || mod8 === 5n)) isNegative = !isNegative;
    if ((top & 3n) === 3n && (bottom & 3n) === 3n) isNegative = !isNegative;
    [top, bottom] = [bottom % top, top];
  }
  if (bottom !== 1n) return 0;
  return isNegative ? -1 : 1;
}

/** The largest integer whose square is at most `value` (Newton's iteration from above). */
export function integerSquareRoot(value: bigint): bigint {
  let estimate = 1n << BigInt(Math.ceil(bitLength(value) / 2));
  for (;;) {
    const next = (estimate + value / (estimate === 0n ? 1n : estimate)) >> 1n;
    if (next >= estimate) return estimate;
    estimate = next;
  }
}
