import { checkPrimeSync, randomBytes } from 'node:crypto';
import { describe, expect, test } from '@jest/globals';
import { PARTY_NUMBERS } from '@countersign/core/parties.js';
import { nextParty } from '@countersign/custody/import-package.js';
import { gcd, jacobi } from '../rsa/integers.js';
import { toBigInt } from '@countersign/core/big-integers.js';
import {
  FINAL_ITERATIONS,
  finalBases,
  finalDigests,
  firstPassDigests,
  firstPassHits,
  firstPassLengths,
  isAcceptedByEveryPair,
  type SharedModulus,
} from './biprimality.js';
import { RsaGenerationError } from '../../threads/generation-error.js';
import { generationParameters } from './generation-parameters.js';
import type { ByParty, Replicated } from './replicated.js';
import { hasSmallFactor } from './trial-division.js';

const BITS = 512;

/** 3 modulo 4 and with both top bits set, so that products have full length. */
function valueOf(isWanted: (value: bigint) => boolean, bits = BITS / 2): bigint {
  const top = 3n << BigInt(bits - 2);
  for (;;) {
    const value = toBigInt(randomBytes(bits / 8)) | top | 3n;
    if (isWanted(value)) return value;
  }
}

const prime = (bits = BITS / 2): bigint => valueOf((value) => checkPrimeSync(value), bits);

/** As moduli are, and their factors are not. */
function primeOneModuloFour(bits: number): bigint {
  for (;;) {
    const value = (toBigInt(randomBytes(bits / 8)) | (3n << BigInt(bits - 2)) | 3n) - 2n;
    if (checkPrimeSync(value)) return value;
  }
}

/** As those that the sieve and trial division let pass. */
const composite = (): bigint =>
  valueOf(
    (value) =>
      gcd(value, sieveModulus) === 1n &&
      !hasSmallFactor(value, divisionGroups) &&
      !checkPrimeSync(value),
  );

const { divisionGroups, sieveModulus } = generationParameters(BITS);

/** Shares 1, 2, 3 of a value that is 3 modulo 4: the first 3, the others 0 modulo 4. */
function split(value: bigint): ByParty<Replicated<bigint>> {
  const part = (): bigint => (toBigInt(randomBytes(BITS / 16 - 2)) / 4n) * 4n;
  const [second, third] = [part(), part()];
  const shares = { 1: value - second - third, 2: second, 3: third };
  const of = (party: 1 | 2 | 3): Replicated<bigint> => ({
    own: shares[party],
    next: shares[nextParty(party)],
  });
  return { 1: of(1), 2: of(2), 3: of(3) };
}

function shared(modulus: bigint, p: bigint, q: bigint): ByParty<SharedModulus> {
  const [ps, qs] = [split(p), split(q)];
  const of = (party: 1 | 2 | 3): SharedModulus => ({ modulus, p: ps[party], q: qs[party] });
  return { 1: of(1), 2: of(2), 3: of(3) };
}

function digestsOf(
  candidate: ByParty<SharedModulus>,
  seed: Uint8Array = randomBytes(32),
): ByParty<Buffer> {
  const bases = finalBases(candidate[1].modulus, seed);
  const of = (party: 1 | 2 | 3): Buffer => finalDigests(party, candidate[party], bases);
  return { 1: of(1), 2: of(2), 3: of(3) };
}

/** The three comparisons: parties 1 and 2, 3 and 2, 1 and 3. */
function pairVerdicts(digests: ByParty<Buffer>): boolean[] {
  const at = (party: 1 | 2 | 3, index: number): string =>
    digests[party].subarray(32 * index, 32 * (index + 1)).toString('hex');
  return [at(1, 0) === at(2, 0), at(3, 0) === at(2, 1), at(1, 0) === at(3, 1)];
}

describe('the final test', () => {
  test('every pair accepts the product of two primes', () => {
    const [p, q] = [prime(), prime()];
    expect(isAcceptedByEveryPair(digestsOf(shared(p * q, p, q)))).toBe(true);
  });

  test.each<[string, () => [bigint, bigint, bigint]]>([
    ['a p that is composite', () => productOf(composite(), prime())],
    ['a q that is composite', () => productOf(prime(), composite())],
    ['a modulus that is prime', () => [primeOneModuloFour(BITS), prime(), prime()]],
    ['the square of a prime', () => [prime() ** 2n, prime(), prime()]],
    ['the product of two other primes', () => [prime() * prime(), prime(), prime()]],
  ])('every pair by itself refuses %s', (_, make) => {
    const digests = digestsOf(shared(...make()));
    expect(pairVerdicts(digests)).toEqual([false, false, false]);
    expect(isAcceptedByEveryPair(digests)).toBe(false);
  });

  test.each([
    [1, 0],
    [2, 0],
    [2, 32],
    [3, 0],
    [3, 32],
  ] as const)('one wrong value of party %d (at %d) is enough to refuse', (party, offset) => {
    const [p, q] = [prime(), prime()];
    const digests = digestsOf(shared(p * q, p, q));
    digests[party][offset] = (digests[party][offset] ?? 0) ^ 1;
    expect(isAcceptedByEveryPair(digests)).toBe(false);
  });

  test('would accept a modulus made for it, which is why the product is checked as well', () => {
    // N' of primes r with r − 1 | L, and s = p + q such that N' + 1 − s is a multiple of 4·L
    const primePowers = [
      [1n, 2n, 4n, 8n, 16n],
      [1n, 3n, 9n],
      ...[5n, 7n, 11n, 13n, 17n, 19n].map((r) => [1n, r]),
    ];
    const divisors = primePowers.reduce(
      (all, powers) => all.flatMap((divisor) => powers.map((power) => divisor * power)),
      [1n],
    );
    const l = divisors.reduce((largest, one) => (one > largest ? one : largest));
    const factors = divisors
      .filter((divisor) => divisor > 100_000n && checkPrimeSync(divisor + 1n))
      .map((divisor) => divisor + 1n)
      .slice(0, 40);
    const all = factors.reduce((product, factor) => product * factor, 1n);
    const modulus = all % 4n === 1n ? all : all / (factors.find((one) => one % 4n === 3n) ?? 1n);
    const p = (1n << 200n) + 3n;
    const rest = (modulus + 1n - 2n * p) % (4n * l);
    const q = p + rest;
    expect(modulus === p * q).toBe(false);
    // one seed for good: of those at random one in some hundred finds a factor
    const digests = digestsOf(shared(modulus, p, q), Buffer.alloc(32, 1));
    expect(isAcceptedByEveryPair(digests)).toBe(true);
  });
});

describe('bases', () => {
  test('are random, have Jacobi symbol 1, and hang on modulus and seed', () => {
    const modulus = prime() * prime();
    const seed = randomBytes(32);
    const bases = finalBases(modulus, seed);
    expect(bases).toHaveLength(FINAL_ITERATIONS);
    expect(new Set(bases).size).toBe(FINAL_ITERATIONS);
    expect(bases.every((base) => jacobi(base, modulus) === 1)).toBe(true);
    expect(finalBases(modulus, seed)).toEqual(bases);
    expect(finalBases(modulus, randomBytes(32))).not.toEqual(bases);
  });

  test('of a modulus with a small factor are refused', () => {
    expect(() => finalBases(3n * prime(), randomBytes(32))).toThrow(RsaGenerationError);
  });
});

describe('the first pass', () => {
  test('finds the products of two primes, at even and at odd positions', () => {
    const pairs: [bigint, bigint][] = [
      [prime(), prime()],
      [composite(), prime()],
      [prime(), composite()],
      [prime(), prime()],
      [composite(), composite()],
    ];
    const candidates = pairs.map(([p, q]) => shared(p * q, p, q));
    const digestsFor = (party: 1 | 2 | 3): Buffer =>
      firstPassDigests(
        party,
        candidates.map((candidate) => candidate[party]),
      );
    const digests = { 1: digestsFor(1), 2: digestsFor(2), 3: digestsFor(3) };
    const lengths = firstPassLengths(pairs.length);
    for (const party of PARTY_NUMBERS) expect(digests[party]).toHaveLength(lengths[party]);
    expect(firstPassHits(digests, pairs.length)).toEqual([0, 3]);
  });
});

function productOf(p: bigint, q: bigint): [bigint, bigint, bigint] {
  return [p * q, p, q];
}
