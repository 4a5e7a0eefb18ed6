import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import * as libsodiumWrappers from 'libsodium-wrappers-sumo';
import {
  isCanonicalScalar,
  isZeroScalar,
  scalarAdd,
  scalarMul,
  scalarMulAdd,
  scalarReduce,
} from './frost-scalars.js';

const L = 2n ** 252n + 27742317777372353535851937790883648493n;
const scalar = fc.bigInt({ min: 0n, max: L - 1n });

function encode(value: bigint, length = 32): Uint8Array {
  const out = new Uint8Array(length);
  for (let i = 0, rest = value; i < length; i++, rest >>= 8n) out[i] = Number(rest & 0xffn);
  return out;
}

describe('scalar arithmetic', () => {
  test('agrees with BigInt, edge values included', () => {
    const operand = fc.oneof(fc.constantFrom(0n, 1n, 2n, L - 2n, L - 1n), scalar);
    fc.assert(
      fc.property(operand, operand, operand, (x, y, z) => {
        expect(scalarMulAdd(encode(x), encode(y), encode(z))).toEqual(encode((x * y + z) % L));
        expect(scalarMul(encode(x), encode(y))).toEqual(encode((x * y) % L));
        expect(scalarAdd(encode(x), encode(y))).toEqual(encode((x + y) % L));
      }),
    );
  });

  test('reduces 64 bytes modulo the group order', () => {
    fc.assert(
      fc.property(fc.bigInt({ min: 0n, max: 2n ** 512n - 1n }), (wide) => {
        expect(scalarReduce(encode(wide, 64))).toEqual(encode(wide % L));
      }),
    );
  });

  test('only encodings below the group order are canonical', () => {
    for (const value of [0n, 1n, L - 1n]) expect(isCanonicalScalar(encode(value))).toBe(true);
    for (const value of [L, L + 1n, 2n ** 256n - 1n]) {
      expect(isCanonicalScalar(encode(value))).toBe(false);
    }
    expect(isCanonicalScalar(new Uint8Array(31))).toBe(false);
    expect(isZeroScalar(encode(0n))).toBe(true);
    expect(isZeroScalar(encode(L - 1n))).toBe(false);
  });

  test('leaves no operand and no result in the WebAssembly heap', () => {
    const x = encode(123456789n ** 8n % L);
    const y = encode(987654321n ** 8n % L);
    const z = encode(192837465n ** 8n % L);
    const results = [scalarMulAdd(x, y, z), scalarMul(x, y), scalarAdd(x, y)];
    const { libsodium } = libsodiumWrappers as unknown as { libsodium: { HEAPU8: Uint8Array } };
    const heap = Buffer.from(libsodium.HEAPU8.buffer);
    // Half a value is enough to find one that sits in two pieces.
    for (const secret of [x, y, z, ...results]) {
      expect(heap.includes(Buffer.from(secret.subarray(0, 16)))).toBe(false);
      expect(heap.includes(Buffer.from(secret.subarray(16)))).toBe(false);
    }
  });
});
