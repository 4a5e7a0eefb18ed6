/**
 * Shared candidates for p and q that no small prime divides, without anybody knowing one (the distributed
 * sieve of Malkin, Wu and Boneh, on replicated shares).
 *
 * a = r_1·r_2·r_3 mod M is a unit because each r_j, drawn alike by both holders of share j, is one. Three
 * masked messages turn the product into a sum:
 *   1 to 2: x_2 = r_1·r_2 − x       x drawn by 1 and 3
 *   2 to 1: a_2 = x_2·r_3 − ρ       ρ and ρ' drawn by 2 and 3
 *   3 to 1: a_1 = x·r_3 − ρ'        and a_3 = ρ + ρ'
 * A party that lies here shifts a candidate by a number it chose without knowing the rest: the later tests
 * see a worse candidate, and one that passes them tells the liar, per sieve prime, a residue it lacks.
 */
import { nextParty } from '@countersign/custody/import-package.js';
import type { PartyNumber } from '@countersign/core/parties.js';
import { modulo } from '@countersign/core/big-integers.js';
import type { GenerationChannel } from './generation-channel.js';
import {
  BATCH_CANDIDATES,
  type GenerationParameters,
  type UnitGroup,
} from './generation-parameters.js';
import { decodeIntegers, encodeIntegers } from './integer-vector.js';
import type { PairStream } from './pair-stream.js';
import type { Replicated } from './replicated.js';

/** p's, then q's. */
const BATCH_VALUES = 2 * BATCH_CANDIDATES;

export interface SharedCandidate {
  readonly p: Replicated<bigint>;
  readonly q: Replicated<bigint>;
  /** For the zero-sharing over the product when it is opened. */
  readonly openingMasks: Replicated<bigint>;
}

/** What the two holders of a share draw for a batch. */
interface PairDraws {
  /** r_j. */
  readonly units: readonly bigint[];
  /** R_j. */
  readonly spreads: readonly bigint[];
  /** x of stream 1, ρ of stream 3. */
  readonly covers: readonly bigint[];
  /** ρ' of stream 3. */
  readonly secondCovers: readonly bigint[];
  readonly openingMasks: readonly bigint[];
}

/** One batch of candidates, drawn from `streams`; `label` is part of the messages' tags. */
export async function drawCandidates(
  channel: GenerationChannel,
  parameters: GenerationParameters,
  streams: Replicated<PairStream>,
  label: string,
): Promise<SharedCandidate[]> {
  const { party } = channel;
  const draws: Replicated<PairDraws> = {
    own: drawForPair(parameters, party, streams.own),
    next: drawForPair(parameters, nextParty(party), streams.next),
  };
  const residues = await shareUnits(channel, parameters, draws, label);
  const own = lift(parameters, party, residues.own, draws.own.spreads);
  const next = lift(parameters, nextParty(party), residues.next, draws.next.spreads);
  const valueAt = (index: number): Replicated<bigint> => ({
    own: itemAt(own, index),
    next: itemAt(next, index),
  });
  return Array.from({ length: BATCH_CANDIDATES }, (_, index) => ({
    p: valueAt(index),
    q: valueAt(index + BATCH_CANDIDATES),
    openingMasks: {
      own: itemAt(draws.own.openingMasks, index),
      next: itemAt(draws.next.openingMasks, index),
    },
  }));
}

function drawForPair(
  { unitGroups, sieveModulus, sieveBytes, ...parameters }: GenerationParameters,
  index: PartyNumber,
  stream: PairStream,
): PairDraws {
  const values = <T>(draw: () => T, count = BATCH_VALUES): T[] =>
    Array.from({ length: count }, draw);
  const cover = (): bigint => stream.below(sieveModulus, sieveBytes);
  return {
    units: values(() => drawUnit(stream, unitGroups) % sieveModulus),
    spreads: values(() => stream.below(parameters.spreadWidth, parameters.spreadBytes)),
    covers: index === 2 ? [] : values(cover),
    secondCovers: index === 3 ? values(cover) : [],
    openingMasks: values(
      () => stream.below(1n << BigInt(parameters.openingBits), parameters.openingBytes),
      BATCH_CANDIDATES,
    ),
  };
}

/** A uniform unit modulo M, not yet reduced: one residue per group of primes, joined (CRT). */
function drawUnit(stream: PairStream, groups: readonly UnitGroup[]): bigint {
  let unit = 0n;
  for (const group of groups) unit += BigInt(drawResidue(stream, group)) * group.coefficient;
  return unit;
}

function drawResidue(stream: PairStream, { primes, product }: UnitGroup): number {
  const limit = 2 ** 31 - (2 ** 31 % product);
  for (;;) {
    const drawn = stream.uint31();
    if (drawn >= limit) continue;
    const residue = drawn % product;
    if (primes.every((prime) => residue % prime !== 0)) return residue;
  }
}

/** This party's shares of a mod M, for all values of a batch. */
async function shareUnits(
  channel: GenerationChannel,
  { sieveModulus, sieveBytes }: GenerationParameters,
  { own, next }: Replicated<PairDraws>,
  label: string,
): Promise<Replicated<readonly bigint[]>> {
  const reduce = (value: bigint): bigint => modulo(value, sieveModulus);
  const combine = (formula: (index: number) => bigint): bigint[] =>
    Array.from({ length: BATCH_VALUES }, (_, index) => reduce(formula(index)));
  const tell = (to: PartyNumber, name: string, values: readonly bigint[]): Promise<void> =>
    channel.tell(to, `${label} ${name}`, encodeIntegers(values, sieveBytes));
  const hear = async (from: PartyNumber, name: string): Promise<bigint[]> => {
    const tag = `${label} ${name}`;
    const bytes = await channel.hear(from, tag, sieveBytes * BATCH_VALUES);
    return decodeIntegers(bytes, { bytesEach: sieveBytes, limit: sieveModulus, from, tag });
  };

  switch (channel.party) {
    case 1: {
      const x2 = combine(
        (at) => itemAt(own.units, at) * itemAt(next.units, at) - itemAt(own.covers, at),
      );
      await tell(2, 'x2', x2);
      const [a1, a2] = await Promise.all([hear(3, 'a1'), hear(2, 'a2')]);
      return { own: a1, next: a2 };
    }
    case 2: {
      const x2 = await hear(1, 'x2');
      const a2 = combine((at) => itemAt(x2, at) * itemAt(next.units, at) - itemAt(next.covers, at));
      await tell(1, 'a2', a2);
      return { own: a2, next: combine((at) => sumOfCovers(next, at)) };
    }
    case 3: {
      const a1 = combine(
        (at) => itemAt(next.covers, at) * itemAt(own.units, at) - itemAt(own.secondCovers, at),
      );
      await tell(1, 'a1', a1);
      return { own: combine((at) => sumOfCovers(own, at)), next: a1 };
    }
  }
}

/** a_3 = ρ + ρ'. */
function sumOfCovers(draws: PairDraws, index: number): bigint {
  return itemAt(draws.covers, index) + itemAt(draws.secondCovers, index);
}

/**
 * From residues to integers: p_j = a_j + M·t_j + 4·M·R_j, with t_j in 0..3 such that p_1 ≡ 3 and
 * p_2 ≡ p_3 ≡ 0 modulo 4. The biprimality test needs p ≡ q ≡ 3 modulo 4.
 */
function lift(
  { sieveModulus, spreadBase }: GenerationParameters,
  index: PartyNumber,
  residues: readonly bigint[],
  spreads: readonly bigint[],
): bigint[] {
  const target = index === 1 ? 3n : 0n;
  const base = index === 1 ? spreadBase : 0n;
  return residues.map((residue, at) => {
    // an odd number is its own inverse modulo 4
    const t = modulo((target - residue) * sieveModulus, 4n);
    return residue + sieveModulus * (t + 4n * (base + itemAt(spreads, at)));
  });
}

function itemAt<T>(list: readonly T[], index: number): T {
  const item = list[index];
  if (item === undefined) throw new RangeError(`no item ${index}`);
  return item;
}
