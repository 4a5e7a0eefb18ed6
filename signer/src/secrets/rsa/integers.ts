/** Number theory on BigInt; see `@countersign/core/big-integers.js` for where BigInt may be used. */
import { bitLength, modulo } from '@countersign/core/big-integers.js';

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
