/** Searches one batch: from candidates to moduli that pass a first test for two prime factors. */
import type { PartyNumber } from '@countersign/core/parties.js';
import { bitLength, toBigInt, toBytes } from '@countersign/core/big-integers.js';
import {
  firstPassDigests,
  firstPassHits,
  firstPassLengths,
  type SharedModulus,
} from './biprimality.js';
import { drawCandidates, type SharedCandidate } from './candidates.js';
import type { GenerationChannel } from './generation-channel.js';
import { RsaGenerationError } from '../../threads/generation-error.js';
import { BATCH_CANDIDATES, type GenerationParameters } from './generation-parameters.js';
import type { PairSecrets } from './pair-secrets.js';
import { productTerm } from './replicated.js';
import { divideOwnThird, survivorsOf } from './trial-division.js';

/** Returns the candidates of a batch that passed, mostly none. All parties find the same, or are told lies. */
export async function searchBatch(
  channel: GenerationChannel,
  parameters: GenerationParameters,
  secrets: PairSecrets,
  label: string,
): Promise<SharedModulus[]> {
  const streams = secrets.streams(label);
  const candidates = await drawCandidates(channel, parameters, streams, label);
  const opened = await openModuli(channel, parameters, candidates, label);

  const tag = `${label} survivors`;
  const own = divideOwnThird(
    opened.map(({ modulus }) => modulus),
    channel.party,
    parameters.divisionGroups,
  );
  const lists = await channel.broadcast(tag, own, own.length);
  const survivors = survivorsOf(lists, opened.length, tag).flatMap((index) => opened[index] ?? []);

  const digests = await channel.broadcast(
    `${label} first pass`,
    firstPassDigests(channel.party, survivors),
    firstPassLengths(survivors.length),
  );
  return firstPassHits(digests, survivors.length).flatMap((position) => survivors[position] ?? []);
}

/**
 * Opens p·q of each candidate modulo 2^openingBits. Nothing more becomes known: the terms are masked.
 * Throws `RsaGenerationError` `opening` for a number that no honest product can be.
 */
async function openModuli(
  channel: GenerationChannel,
  { modulusBits, openingBits, openingBytes }: GenerationParameters,
  candidates: readonly SharedCandidate[],
  label: string,
): Promise<SharedModulus[]> {
  const terms = candidates.map(({ p, q, openingMasks }) =>
    toBytes(BigInt.asUintN(openingBits, productTerm(p, q, openingMasks)), openingBytes),
  );
  const length = openingBytes * BATCH_CANDIDATES;
  const told = await channel.broadcast(`${label} opening`, Buffer.concat(terms), length);
  return candidates.map(({ p, q }, index) => {
    const termOf = (party: PartyNumber): bigint =>
      toBigInt(told[party].subarray(index * openingBytes, (index + 1) * openingBytes));
    const modulus = BigInt.asUintN(openingBits, termOf(1) + termOf(2) + termOf(3));
    if (bitLength(modulus) !== modulusBits || modulus % 4n !== 1n) {
      throw new RsaGenerationError('opening', 'an opened number is no product of candidates');
    }
    return { modulus, p, q };
  });
}
