import { createDiffieHellman, generatePrimeSync, randomBytes } from 'node:crypto';
import { afterEach, describe, expect, jest, test } from '@jest/globals';
import { modPow } from './integers.js';
import { toBigInt, toBytes } from '@countersign/core/big-integers.js';
import { powerOnce, powersOf, SigningModexp } from './modexp.js';
import { referencePowers, rsaSelfTest } from './rsa-self-test.js';

afterEach(() => {
  jest.restoreAllMocks();
});

function oddModulus(bits: number): Buffer {
  const bytes = randomBytes(bits / 8);
  bytes[0] = (bytes[0] ?? 0) | 0x80;
  bytes[bytes.length - 1] = (bytes.at(-1) ?? 0) | 1;
  return bytes;
}

const prime = (bits: number): bigint => generatePrimeSync(bits, { bigint: true });

describe.each([512, 1024, 2048, 4096])('modulo %d bits', (bits) => {
  const length = bits / 8;
  const modulus = oddModulus(bits);
  const n = toBigInt(modulus);

  test.each([
    ['full', length],
    ['half', length / 2],
    ['over-long', length + 17],
    ['one-byte', 1],
  ])('all ways agree with the reference on a %s exponent', (_, exponentBytes) => {
    const exponent = randomBytes(exponentBytes);
    exponent[0] = (exponent[0] ?? 0) | 0x40;
    const base = randomBytes(length - 1);
    const expected = modPow(toBigInt(base), toBigInt(exponent), n);
    const modexp = new SigningModexp(1);
    expect(toBigInt(modexp.power(modulus, exponent, base))).toBe(expected);
    expect(powerOnce(n, toBigInt(exponent), toBigInt(base))).toBe(expected);
    expect(powersOf(n, toBigInt(exponent), [toBigInt(base), 3n])).toEqual([
      expected,
      powerOnce(n, toBigInt(exponent), 3n),
    ]);
  });

  test('a small base, leading zeros and a base above the modulus make no difference', () => {
    const exponent = randomBytes(length);
    const modexp = new SigningModexp(1);
    const power = modexp.power(modulus, exponent, Buffer.from([3]));
    expect(power).toHaveLength(length);
    expect(toBigInt(power)).toBe(modPow(3n, toBigInt(exponent), n));
    const padded = modexp.power(
      modulus,
      Buffer.concat([Buffer.alloc(3), exponent]),
      Buffer.from([0, 0, 3]),
    );
    expect(padded).toEqual(power);
    expect(modexp.power(modulus, exponent, toBytes(n + 3n, length + 1))).toEqual(power);
  });
});

describe('exponentiation for signing', () => {
  const [p, q] = [prime(512), prime(512)];
  const modulus = toBytes(p * q, 128);
  const phi = toBytes((p - 1n) * (q - 1n), 128);

  test.each<[string, Buffer]>([
    ['0', Buffer.from([0])],
    ['1', Buffer.from([1])],
    ['N − 1', toBytes(p * q - 1n, 128)],
    ['N', modulus],
  ])('refuses the base %s', (_, base) => {
    expect(() => new SigningModexp(1).power(modulus, phi, base)).toThrow(
      expect.objectContaining({ code: 'modexp' }),
    );
  });

  test('refuses the result 1, and goes on working', () => {
    const modexp = new SigningModexp(1);
    expect(() => modexp.power(modulus, phi, Buffer.from([3]))).toThrow(
      expect.objectContaining({ code: 'modexp' }),
    );
    expect(toBigInt(modexp.power(modulus, Buffer.from([2]), Buffer.from([3])))).toBe(9n);
  });

  test('refuses a power of another length, as Node 22 gives in place of an error', () => {
    const [prototype] = [Object.getPrototypeOf(createDiffieHellman(modulus, 2)) as DhPrototype];
    jest.spyOn(prototype, 'computeSecret').mockReturnValue(Buffer.alloc(0));
    expect(() => new SigningModexp(1).power(modulus, phi, Buffer.from([3]))).toThrow(
      expect.objectContaining({ code: 'modexp', message: 'power of another length' }),
    );
  });

  test('keeps no exponent: the last one handed to OpenSSL is always 1', () => {
    const prototype = Object.getPrototypeOf(createDiffieHellman(modulus, 2)) as DhPrototype;
    const given = jest.spyOn(prototype, 'setPrivateKey');
    const modexp = new SigningModexp(1);
    const exponent = randomBytes(128);
    modexp.power(modulus, exponent, Buffer.from([3]));
    expect(() => modexp.power(modulus, phi, Buffer.from([3]))).toThrow();
    expect(given.mock.calls.map(([key]) => toBigInt(key))).toEqual([
      toBigInt(exponent),
      1n,
      toBigInt(phi),
      1n,
    ]);
  });

  test.each([
    ['an even modulus', toBytes(p * q - 1n, 128)],
    ['a modulus with leading zeros', toBytes(p * q, 129)],
    ['no modulus', Buffer.alloc(0)],
  ])('refuses %s', (_, bad) => {
    expect(() => new SigningModexp(1).power(bad, phi, Buffer.from([3]))).toThrow(
      expect.objectContaining({ code: 'invalid_input' }),
    );
  });

  test('with few moduli kept gives the same powers as with many', () => {
    const moduli = Array.from({ length: 5 }, () => oddModulus(512));
    const few = new SigningModexp(2);
    const many = new SigningModexp(10);
    const exponent = randomBytes(64);
    for (const index of [0, 1, 2, 0, 3, 4, 1, 1, 0]) {
      const one = moduli[index] ?? Buffer.alloc(0);
      const base = randomBytes(63);
      expect(few.power(one, exponent, base)).toEqual(many.power(one, exponent, base));
    }
  });
});

describe('exponentiation for key generation', () => {
  const [p, q] = [prime(256), prime(256)];
  const n = p * q;

  test('gives the results 1 and N − 1', () => {
    expect(powerOnce(n, (p - 1n) * (q - 1n), 3n)).toBe(1n);
    expect(powerOnce(n, 3n, n - 1n)).toBe(n - 1n);
    expect(powersOf(n, (p - 1n) * (q - 1n), [3n, 5n])).toEqual([1n, 1n]);
    expect(powersOf(n, 3n, [n - 1n, 2n])).toEqual([n - 1n, 8n]);
  });

  test.each<[string, bigint, bigint, bigint]>([
    ['an even modulus', n - 1n, 5n, 3n],
    ['the base 1', n, 5n, 1n],
    ['a base that is not reduced', n, 5n, n],
    ['the exponent 0', n, 0n, 3n],
  ])('refuses %s', (_, modulus, exponent, base) => {
    const refusal = expect.objectContaining({ code: 'invalid_input' });
    expect(() => powerOnce(modulus, exponent, base)).toThrow(refusal);
    expect(() => powersOf(modulus, exponent, [2n, base])).toThrow(refusal);
  });
});

describe('the self-test', () => {
  test('passes here', () => {
    expect(() => rsaSelfTest()).not.toThrow();
    for (const { known, computed } of referencePowers()) expect(known).toBe(computed);
  });

  test('fails where Diffie-Hellman computes something else', () => {
    const prototype = Object.getPrototypeOf(createDiffieHellman(oddModulus(512), 2)) as DhPrototype;
    jest.spyOn(prototype, 'computeSecret').mockReturnValue(Buffer.alloc(256, 1));
    expect(() => rsaSelfTest()).toThrow('signing gives a wrong 2048-bit power');
  });
});

interface DhPrototype {
  computeSecret(base: Uint8Array): Buffer;
  setPrivateKey(key: Uint8Array): void;
}
