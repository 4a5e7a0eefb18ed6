/** Arithmetic with a whole RSA key: for tests alone, which put together what no process may. */

/** Big-endian, without leading zeros. */
export function bytesOf(value: bigint): Buffer {
  const hex = value.toString(16);
  return Buffer.from(hex.length % 2 === 0 ? hex : `0${hex}`, 'hex');
}

export function modPow(base: bigint, exponent: bigint, modulus: bigint): bigint {
  let result = 1n;
  let power = base % modulus;
  for (let left = exponent; left > 0n; left >>= 1n) {
    if ((left & 1n) === 1n) result = (result * power) % modulus;
    power = (power * power) % modulus;
  }
  return result;
}

/** p and q from N, e and any d with d·e ≡ 1 mod λ(N) (NIST SP 800-56B, appendix C). */
export function factorModulus(n: bigint, e: bigint, d: bigint): { p: bigint; q: bigint } {
  let odd = d * e - 1n;
  while ((odd & 1n) === 0n) odd >>= 1n;
  for (let base = 2n; base < 200n; base++) {
    let root = modPow(base, odd, n);
    while (root !== 1n && root !== n - 1n) {
      const square = (root * root) % n;
      if (square === 1n) {
        const p = gcd(root - 1n, n);
        return { p, q: n / p };
      }
      root = square;
    }
  }
  throw new Error('the modulus was not factored: d is wrong');
}

function gcd(a: bigint, b: bigint): bigint {
  return b === 0n ? a : gcd(b, a % b);
}
