import { describe, expect, test } from '@jest/globals';
import * as fc from 'fast-check';
import { gcd, integerSquareRoot, jacobi, modInverse, modPow } from './integers.js';
import {
  bitLength,
  bitLengthOfBytes,
  byteLength,
  modulo,
  toBigInt,
  toBytes,
  withoutLeadingZeros,
} from '@countersign/core/big-integers.js';
import { addIntegers } from './modexp.js';

const natural = fc.bigInt({ min: 0n, max: 1n << 600n });
const positive = fc.bigInt({ min: 1n, max: 1n << 600n });

describe('integers as bytes', () => {
  test('come back as they were, in the length asked for', () => {
    fc.assert(
      fc.property(positive, fc.nat(5), (value, extra) => {
        const length = byteLength(value) + extra;
        const bytes = toBytes(value, length);
        expect(bytes).toHaveLength(length);
        expect(toBigInt(bytes)).toBe(value);
        expect(bitLengthOfBytes(bytes)).toBe(bitLength(value));
        expect(withoutLeadingZeros(bytes)).toHaveLength(byteLength(value));
      }),
    );
  });

  test('zero takes a byte, or as many as asked for', () => {
    expect([...toBytes(0n, 3)]).toEqual([0, 0, 0]);
    expect([toBigInt(Buffer.alloc(0)), toBigInt(Buffer.alloc(2))]).toEqual([0n, 0n]);
    expect([bitLength(0n), bitLengthOfBytes(Buffer.alloc(2))]).toEqual([0, 0]);
    expect(withoutLeadingZeros(Buffer.alloc(2))).toHaveLength(0);
  });

  test('that do not fit or are negative are refused', () => {
    expect(() => toBytes(256n, 1)).toThrow(RangeError);
    expect(() => toBytes(-1n, 1)).toThrow(RangeError);
  });

  test('are added as integers are', () => {
    fc.assert(
      fc.property(positive, positive, fc.nat(3), (left, right, zeros) => {
        const sum = addIntegers(
          toBytes(left, byteLength(left) + zeros),
          toBytes(right, byteLength(right)),
        );
        expect(toBigInt(sum)).toBe(left + right);
        expect(sum[0]).not.toBe(0);
      }),
    );
    expect([...addIntegers(Buffer.from('ffff', 'hex'), Buffer.from([1]))]).toEqual([1, 0, 0]);
  });
});

describe('number theory', () => {
  test('residues are never negative', () => {
    expect([modulo(-7n, 5n), modulo(7n, 5n), modulo(-5n, 5n)]).toEqual([3n, 2n, 0n]);
  });

  test('inverses invert, and are missing where there is a common factor', () => {
    fc.assert(
      fc.property(positive, fc.bigInt({ min: 2n, max: 1n << 300n }), (value, modulus) => {
        const inverse = modInverse(value, modulus);
        if (gcd(value, modulus) !== 1n) expect(inverse).toBeUndefined();
        else expect((value * (inverse ?? 0n)) % modulus).toBe(1n);
      }),
    );
  });

  test('powers satisfy Fermat, and the Jacobi symbol of a prime Euler', () => {
    const p = (1n << 127n) - 1n;
    fc.assert(
      fc.property(fc.bigInt({ min: 0n, max: p - 1n }), (value) => {
        const euler = modPow(value, (p - 1n) / 2n, p);
        expect(modulo(BigInt(jacobi(value, p)), p)).toBe(euler);
        expect(modPow(value, p, p)).toBe(value);
      }),
    );
  });

  test('the Jacobi symbol is the product of those of the factors', () => {
    const factors = [10_007n, 65_537n, 99_991n, 10_007n];
    const modulus = factors.reduce((product, factor) => product * factor, 1n);
    fc.assert(
      fc.property(fc.bigInt({ min: -1n << 90n, max: 1n << 90n }), (value) => {
        const expected = factors.reduce((product, factor) => product * jacobi(value, factor), 1);
        expect(jacobi(value, modulus) === expected).toBe(true);
      }),
    );
  });

  test('square roots are rounded down', () => {
    fc.assert(
      fc.property(natural, (value) => {
        const root = integerSquareRoot(value);
        expect(root * root <= value && (root + 1n) * (root + 1n) > value).toBe(true);
      }),
    );
  });
});
