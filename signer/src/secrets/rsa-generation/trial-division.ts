/**
 * Moduli with a factor between the sieve bound and 50,000 are dropped before the costly test. Each party divides a
 * third of a batch. A party that lies about its third wastes time, or drops good moduli of which it knows no more than
 * everybody does.
 */
import { PARTY_NUMBERS, type PartyNumber } from '@countersign/core/parties.js';
import type { DivisionGroup } from './generation-parameters.js';
import { malformed } from './generation-channel.js';
import type { ByParty } from './replicated.js';

export function hasSmallFactor(modulus: bigint, groups: readonly DivisionGroup[]): boolean {
  return groups.some(({ primes, product }) => {
    const rest = Number(modulus % product);
    return primes.some((prime) => rest % prime === 0);
  });
}

function dividerOf(index: number): PartyNumber {
  return index % 3 === 0 ? 1 : index % 3 === 1 ? 2 : 3;
}

/** One bit per candidate, least significant first: 1 for those of this party that survive. */
export function divideOwnThird(
  moduli: readonly bigint[],
  party: PartyNumber,
  groups: readonly DivisionGroup[],
): Buffer {
  const survivors = Buffer.alloc(Math.ceil(moduli.length / 8));
  moduli.forEach((modulus, index) => {
    if (dividerOf(index) === party && !hasSmallFactor(modulus, groups)) setBit(survivors, index);
  });
  return survivors;
}

/**
 * The candidates that survive, in order, from all three parties' lists. Throws `RsaGenerationError`
 * `malformed` for a list that speaks of another party's third.
 */
export function survivorsOf(lists: ByParty<Buffer>, count: number, tag: string): number[] {
  const survivors: number[] = [];
  for (let index = 0; index < count; index += 1) {
    for (const party of PARTY_NUMBERS) {
      if (!hasBit(lists[party], index)) continue;
      if (dividerOf(index) !== party) throw malformed(party, tag);
      survivors.push(index);
    }
  }
  return survivors;
}

function setBit(bits: Buffer, index: number): void {
  bits[index >> 3] = (bits[index >> 3] ?? 0) | (1 << (index & 7));
}

function hasBit(bits: Buffer, index: number): boolean {
  return (((bits[index >> 3] ?? 0) >> (index & 7)) & 1) === 1;
}
