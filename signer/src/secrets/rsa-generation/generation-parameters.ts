/**
 * The numbers a generation runs with, per modulus size. All parties compute them alike.
 *
 * Every p is made coprime to the primes up to a sieve bound by construction, and lies in
 * [2^(b − 1/2), 2^b) for b = modulusBits / 2, so that p·q always has full length:
 * p = Σ (a_j + M·t_j + 4·M·R_j) with a = Σ a_j a unit modulo M (M the product of the odd primes up to the
 * bound), t_j in 0..3, R_j below `spreadWidth`, and `spreadBase` added to R_1.
 */
import { integerSquareRoot, modInverse } from '../rsa/integers.js';
import { bitLength, byteLength } from '@countersign/core/big-integers.js';
import { RsaGenerationError } from '../../threads/generation-error.js';

/** Odd primes with product below 2^31, for drawing units by the Chinese remainder theorem. */
export interface UnitGroup {
  readonly primes: readonly number[];
  readonly product: number;
  /** ≡ 1 modulo `product`, ≡ 0 modulo the other groups' products. */
  readonly coefficient: bigint;
}

/** Primes with product below 2^52, for trial division. */
export interface DivisionGroup {
  readonly primes: readonly number[];
  readonly product: bigint;
}

export interface GenerationParameters {
  readonly modulusBits: number;
  readonly modulusBytes: number;
  /** b. */
  readonly primeBits: number;
  /** M. */
  readonly sieveModulus: bigint;
  /** Bytes that hold a number below M. */
  readonly sieveBytes: number;
  readonly unitGroups: readonly UnitGroup[];
  readonly spreadBase: bigint;
  readonly spreadWidth: bigint;
  readonly spreadBytes: number;
  /** Products are opened modulo 2^openingBits: a lie at random gives a number of impossible length. */
  readonly openingBits: number;
  readonly openingBytes: number;
  readonly divisionGroups: readonly DivisionGroup[];
  /** Candidates until a modulus is found, on average. */
  readonly expectedCandidates: number;
  /** A prime above 2^modulusBits, for checking p·q = N exactly. */
  readonly checkField: bigint;
}

/** Candidates per batch. More would save messages and waste more work after the hit. */
export const BATCH_CANDIDATES = 96;
export const PUBLIC_EXPONENT = 65_537;

/** Mersenne primes 2^k − 1 by size of modulus. 512 and 1024 bits are for tests. */
const CHECK_FIELD_BITS: Readonly<Record<number, number>> = {
  512: 607,
  1024: 1_279,
  2048: 2_203,
  3072: 3_217,
  4096: 4_253,
};
/** The bits of p that the sieve does not fix: what hides a share, statistically. */
const SPREAD_BITS = 128;
const OPENING_EXTRA_BITS = 64;
const DIVISION_BOUND = 50_000;
const UNIT_GROUP_LIMIT = 2 ** 31;
const DIVISION_GROUP_LIMIT = 2 ** 52;
const EULER_GAMMA = 0.577_215_664_9;

/** Throws `RsaGenerationError` `invalid-input` for another size of modulus. */
export function generationParameters(modulusBits: number): GenerationParameters {
  const checkFieldBits = CHECK_FIELD_BITS[modulusBits];
  if (checkFieldBits === undefined) {
    throw new RsaGenerationError('invalid-input', `no parameters for ${modulusBits} bits`);
  }
  const primeBits = modulusBits / 2;
  const primes = oddPrimesUpTo(DIVISION_BOUND);
  const sievePrimes = primesForSieve(primes, primeBits);
  const sieveModulus = productOf(sievePrimes);
  const step = 4n * sieveModulus;
  const lowest = integerSquareRoot((1n << BigInt(2 * primeBits - 1)) - 1n) + 1n;
  const spreadBase = (lowest + step - 1n) / step;
  // 4: what Σ (a_j + M·t_j) < 12·M can add, and one to spare
  const spreadWidth = ((1n << BigInt(primeBits)) / step - spreadBase - 4n) / 3n;
  const openingBits = modulusBits + OPENING_EXTRA_BITS;
  return {
    modulusBits,
    modulusBytes: modulusBits / 8,
    primeBits,
    sieveModulus,
    sieveBytes: byteLength(sieveModulus),
    unitGroups: unitGroups(sievePrimes, sieveModulus),
    spreadBase,
    spreadWidth,
    spreadBytes: byteLength(spreadWidth),
    openingBits,
    openingBytes: openingBits / 8,
    divisionGroups: grouped(primes.slice(sievePrimes.length), DIVISION_GROUP_LIMIT).map(
      (group) => ({ primes: group, product: productOf(group) }),
    ),
    expectedCandidates: expectedCandidates(sievePrimes.at(-1) ?? 2, primeBits),
    checkField: (1n << BigInt(checkFieldBits)) - 1n,
  };
}

function oddPrimesUpTo(bound: number): number[] {
  const isComposite = new Uint8Array(bound + 1);
  const primes: number[] = [];
  for (let candidate = 3; candidate <= bound; candidate += 2) {
    if (isComposite[candidate] === 1) continue;
    primes.push(candidate);
    for (let multiple = candidate * candidate; multiple <= bound; multiple += 2 * candidate) {
      isComposite[multiple] = 1;
    }
  }
  return primes;
}

/** As many primes as leave p its `SPREAD_BITS`. */
function primesForSieve(primes: readonly number[], primeBits: number): number[] {
  let product = 1n;
  const count = primes.findIndex((prime) => {
    product *= BigInt(prime);
    return bitLength(product) + 2 > primeBits - SPREAD_BITS;
  });
  return primes.slice(0, count);
}

function unitGroups(primes: readonly number[], modulus: bigint): UnitGroup[] {
  return grouped(primes, UNIT_GROUP_LIMIT).map((group) => {
    const product = Number(productOf(group));
    const others = modulus / BigInt(product);
    const inverse = modInverse(others, BigInt(product));
    if (inverse === undefined) throw new Error('groups of primes share a factor');
    return { primes: group, product, coefficient: others * inverse };
  });
}

/** Consecutive primes, as many to a group as keep its product below `limit`. */
function grouped(primes: readonly number[], limit: number): number[][] {
  const groups: number[][] = [];
  let product = limit;
  for (const prime of primes) {
    product *= prime;
    const group = groups.at(-1);
    if (group !== undefined && product < limit) {
      group.push(prime);
    } else {
      groups.push([prime]);
      product = prime;
    }
  }
  return groups;
}

function productOf(primes: readonly number[]): bigint {
  return primes.reduce((product, prime) => product * BigInt(prime), 1n);
}

/** 1 / P(p and q prime), each having P = e^γ · ln B / ln p when coprime to the primes up to B (Mertens). */
function expectedCandidates(sieveBound: number, primeBits: number): number {
  const primeChance = (Math.exp(EULER_GAMMA) * Math.log(sieveBound)) / (primeBits * Math.log(2));
  return Math.round(1 / primeChance ** 2);
}
