/**
 * Two parties that together hold all shares of p and q test whether N = p·q with p and q both prime (Boneh and
 * Franklin, "Efficient generation of shared RSA keys", section 3; p ≡ q ≡ 3 modulo 4).
 *
 * For g with Jacobi symbol 1, g^((N + 1 − p − q) / 4) ≡ ±1 modulo N when both are prime; when one is not, and g is
 * random, with a chance of at most 1/2. With s = p + q, tester A holds two shares of s and raises g to (N + 1 − s_A) /
 * 4; tester B raises it to s_B / 4, the third. Equal up to sign is a pass. Share 1 of s is ≡ 2 modulo 4 and the others
 * ≡ 0, so A is always a party that holds share 1.
 *
 * Values are compared by hash: nothing more becomes known of a modulus that fails.
 */
import { createHash } from 'node:crypto';
import { ByteWriter } from '@countersign/core/bytes.js';
import { sha256 } from '@countersign/core/hash.js';
import type { PartyNumber } from '@countersign/core/parties.js';
import { jacobi } from '../rsa/integers.js';
import { byteLength, modulo, toBigInt, toBytes } from '@countersign/core/big-integers.js';
import { powersOf } from '../rsa/modexp.js';
import { RsaGenerationError } from '../../threads/generation-error.js';
import { addReplicated, type ByParty, type Replicated } from './replicated.js';

/** An opened modulus and one party's shares of its factors. */
export interface SharedModulus {
  /** N. */
  readonly modulus: bigint;
  readonly p: Replicated<bigint>;
  readonly q: Replicated<bigint>;
}

/** Tester A with both its shares, or tester B with one of them. */
export type TesterShares = 'both' | 'own' | 'next';

/** Iterations of the final test, for every pair: a composite passes them all once in 2^40. */
export const FINAL_ITERATIONS = 40;

const FIRST_PASS_BASES = [3, 5, 7, 11, 13, 17, 19, 23, 29, 31, 37, 41, 43].map(BigInt);
const LAST_RESORT_BASE = 47n;
const FIRST_PASS_DIGEST_BYTES = 16;
const FINAL_DIGEST_BYTES = 32;
const DIGEST_DOMAIN = 'countersign rsa biprimality v1';
const BASE_DOMAIN = 'countersign rsa biprimality base v1';
const SPARE_BYTES = 16;
const NON_RESIDUE_TRIES = 1_000n;

/** s = p + q. */
export function sumOfFactors({ p, q }: SharedModulus): Replicated<bigint> {
  return addReplicated(p, q);
}

/**
 * A tester's digest for some bases: equal at A and B, for one N, when all their values are equal up to
 * sign. 32 bytes.
 */
export function testerDigest(
  candidate: SharedModulus,
  shares: TesterShares,
  bases: readonly bigint[],
): Buffer {
  const { modulus } = candidate;
  const exponent = testerExponent(candidate, shares);
  const length = byteLength(modulus);
  const digest = new ByteWriter().field(DIGEST_DOMAIN).field(toBytes(modulus, length));
  for (const value of powersOf(modulus, exponent, bases)) {
    const unsigned = value > modulus - value ? modulus - value : value;
    digest.field(toBytes(unsigned, length));
  }
  return sha256(digest.bytes());
}

function testerExponent(candidate: SharedModulus, shares: TesterShares): bigint {
  const sum = sumOfFactors(candidate);
  if (shares !== 'both') return sum[shares] / 4n;
  return (candidate.modulus + 1n - sum.own - sum.next) / 4n;
}

/** What a party contributes to the first pass of the survivor at `position`; undefined for nothing. */
function firstPassRole(party: PartyNumber, position: number): TesterShares | undefined {
  const isEven = position % 2 === 0;
  switch (party) {
    case 1:
      return isEven ? 'both' : undefined;
    case 2:
      return isEven ? 'next' : 'own';
    case 3:
      return isEven ? undefined : 'both';
  }
}

/**
 * One party's digests for the first pass, 16 bytes for each survivor it tests, in order: parties 1 and 2 test those at
 * even positions, 3 and 2 the others. Exponents of 2 are half as long, so all work alike. One small base is enough to
 * sort out; the final test decides.
 */
export function firstPassDigests(party: PartyNumber, survivors: readonly SharedModulus[]): Buffer {
  const digests = survivors.map((candidate, position) => {
    const role = firstPassRole(party, position);
    if (role === undefined) return Buffer.alloc(0);
    const digest = testerDigest(candidate, role, [firstPassBase(candidate.modulus)]);
    return digest.subarray(0, FIRST_PASS_DIGEST_BYTES);
  });
  return Buffer.concat(digests);
}

/** Bytes of `firstPassDigests` of each party for so many survivors. */
export function firstPassLengths(survivors: number): ByParty<number> {
  const even = Math.ceil(survivors / 2);
  return {
    1: even * FIRST_PASS_DIGEST_BYTES,
    2: survivors * FIRST_PASS_DIGEST_BYTES,
    3: (survivors - even) * FIRST_PASS_DIGEST_BYTES,
  };
}

/** Positions of the survivors that passed. */
export function firstPassHits(digests: ByParty<Buffer>, survivors: number): number[] {
  const at = (bytes: Buffer, index: number): Buffer =>
    bytes.subarray(index * FIRST_PASS_DIGEST_BYTES, (index + 1) * FIRST_PASS_DIGEST_BYTES);
  return Array.from({ length: survivors }, (_, position) => position).filter((position) => {
    const other = position % 2 === 0 ? digests[1] : digests[3];
    return at(other, position >> 1).equals(at(digests[2], position));
  });
}

function firstPassBase(modulus: bigint): bigint {
  return FIRST_PASS_BASES.find((base) => jacobi(base, modulus) === 1) ?? LAST_RESORT_BASE;
}

/**
 * Returns random numbers with Jacobi symbol 1, drawn from `seed`, a coin all parties tossed after N was fixed. Throws
 * `RsaGenerationError` `biprimality` for a modulus that has no numbers of symbol −1, or shares a factor with one drawn.
 */
export function finalBases(modulus: bigint, seed: Uint8Array): bigint[] {
  return Array.from({ length: FINAL_ITERATIONS }, (_, index) => {
    const drawn = drawBase(modulus, seed, index);
    switch (jacobi(drawn, modulus)) {
      case 1:
        return drawn;
      case -1:
        // it is as random as one with symbol 1, and saves computing a second symbol of a large number
        return (drawn * smallNonResidue(modulus)) % modulus;
      case 0:
        throw new RsaGenerationError('biprimality', 'a random base shares a factor with N');
    }
  });
}

function drawBase(modulus: bigint, seed: Uint8Array, index: number): bigint {
  const outputLength = byteLength(modulus) + SPARE_BYTES;
  const label = new ByteWriter().field(BASE_DOMAIN).field(seed).u32(index).bytes();
  return modulo(toBigInt(createHash('shake256', { outputLength }).update(label).digest()), modulus);
}

function smallNonResidue(modulus: bigint): bigint {
  for (let candidate = 2n; candidate < NON_RESIDUE_TRIES; candidate += 1n) {
    if (jacobi(candidate, modulus) === -1) return candidate;
  }
  throw new RsaGenerationError('biprimality', 'N is no product of two different primes');
}

/**
 * A party's digests for the final test, 32 bytes for each role: as A for parties 1 and 3, as B once for
 * party 3 and twice for party 2.
 */
export function finalDigests(
  party: PartyNumber,
  candidate: SharedModulus,
  bases: readonly bigint[],
): Buffer {
  const roles = FINAL_ROLES[party];
  return Buffer.concat(roles.map((role) => testerDigest(candidate, role, bases)));
}

/** In the order of their digests. Party 2's `next` and party 3's `own` are share 3, party 2's `own` share 2. */
const FINAL_ROLES: ByParty<readonly TesterShares[]> = {
  1: ['both'],
  2: ['next', 'own'],
  3: ['both', 'own'],
};

export const FINAL_LENGTHS: ByParty<number> = {
  1: FINAL_DIGEST_BYTES,
  2: 2 * FINAL_DIGEST_BYTES,
  3: 2 * FINAL_DIGEST_BYTES,
};

/**
 * Whether each of the three pairs, by all its own iterations, finds N the product of two primes. The pair of the two
 * honest parties holds all shares, so its word alone would do; a cheater can only refuse.
 */
export function isAcceptedByEveryPair(digests: ByParty<Buffer>): boolean {
  const of = (party: PartyNumber, index: number): Buffer =>
    digests[party].subarray(index * FINAL_DIGEST_BYTES, (index + 1) * FINAL_DIGEST_BYTES);
  const firstAndSecond = of(1, 0).equals(of(2, 0));
  const thirdAndSecond = of(3, 0).equals(of(2, 1));
  const firstAndThird = of(1, 0).equals(of(3, 1));
  return firstAndSecond && thirdAndSecond && firstAndThird;
}
