/**
 * Makes shares of a private exponent, while nobody knows φ = N + 1 − p − q or any part of it (after Boneh and Franklin,
 * section 4, for a public exponent with gcd(e, φ) = 1).
 *
 * With T ≡ −φ^−1 modulo e, z = φ·T + C·e·φ is ≡ −1 modulo e, and d = (z + 1) / e is a private exponent: the usual one
 * plus a multiple of φ, which is large so that every share is positive. A lying party shifts z or the remainders. That
 * shows when they do not add up to −1, or in the trial signatures.
 */
import { nextParty } from '@countersign/custody/import-package.js';
import { PARTY_NUMBERS, type PartyNumber } from '@countersign/core/parties.js';
import { modInverse } from '../rsa/integers.js';
import {
  byteLength,
  modulo,
  toBigInt,
  toBytes,
  withoutLeadingZeros,
} from '@countersign/core/big-integers.js';
import { sumOfFactors, type SharedModulus } from './biprimality.js';
import type { GenerationChannel } from './generation-channel.js';
import { RsaGenerationError } from '../../threads/generation-error.js';
import { PUBLIC_EXPONENT } from './generation-parameters.js';
import { decodeIntegers, encodeIntegers } from './integer-vector.js';
import type { PairSecrets } from './pair-secrets.js';
import type { PairStream } from './pair-stream.js';
import { mapReplicated, previousParty, productTerm, type Replicated } from './replicated.js';

const E = BigInt(PUBLIC_EXPONENT);
/** C: 2^132 times φ outweighs every mask. */
const POSITIVE_FACTOR = 1n << 132n;
/** Masks are 2^144 times the modulus: they hide products of φ (n bits) and T (17 bits) to 2^−125. */
const MASK_EXTRA_BYTES = 18;
/** z_i / e has at most n + 133 bits. */
const PART_EXTRA_BYTES = 17;
const RESIDUE_BYTES = 4;

export interface ExponentInput {
  readonly channel: GenerationChannel;
  readonly secrets: PairSecrets;
  readonly label: string;
  readonly candidate: SharedModulus;
}

/**
 * Returns this party's two parts of d, big-endian without leading zeros. Undefined when e divides φ (once in 33,000
 * moduli) or the random factor was 0 (once in 66,000): then the modulus must be dropped, which all parties see alike.
 * Throws `RsaGenerationError` `exponent`.
 */
export async function sharePrivateExponent(
  input: ExponentInput,
): Promise<Replicated<Uint8Array> | undefined> {
  const { channel, secrets, label, candidate } = input;
  const { party } = channel;
  const sum = sumOfFactors(candidate);
  const phi: Replicated<bigint> = {
    own: phiShare(party, candidate.modulus, sum.own),
    next: phiShare(nextParty(party), candidate.modulus, sum.next),
  };
  const streams = secrets.streams(`${label} exponent`);
  const inverse = await inverseShares(channel, label, phi, streams);
  if (inverse === undefined) return undefined;

  const modulusBytes = byteLength(candidate.modulus);
  const masks = mapReplicated(streams, (stream) =>
    toBigInt(stream.bytes(modulusBytes + MASK_EXTRA_BYTES)),
  );
  const z =
    productTerm(phi, inverse, masks) +
    offset(party, candidate.modulus) -
    E * POSITIVE_FACTOR * sum.own;
  if (z <= 0n) throw new RsaGenerationError('exponent', 'a share of d is not positive');
  const carry = await remainderCarry(channel, label, z % E);
  const part = z / E + (party === 1 ? carry : 0n);
  return exchangeParts(channel, label, part, modulusBytes + PART_EXTRA_BYTES);
}

/** φ = N + 1 − s: the constant goes to share 1. */
function phiShare(index: PartyNumber, modulus: bigint, sumShare: bigint): bigint {
  return (index === 1 ? modulus + 1n : 0n) - sumShare;
}

/** This party's third of C·e·(N + 1), so that the offsets less C·e·s add up to C·e·φ. */
function offset(party: PartyNumber, modulus: bigint): bigint {
  const total = (modulus + 1n) * E * POSITIVE_FACTOR;
  const third = total / 3n;
  return party === 1 ? total - 2n * third : third;
}

/** Shares of T: r·φ mod e is opened for a shared random r, and T_j = −r_j / (r·φ). Undefined for r·φ = 0. */
async function inverseShares(
  channel: GenerationChannel,
  label: string,
  phi: Replicated<bigint>,
  streams: Replicated<PairStream>,
): Promise<Replicated<bigint> | undefined> {
  const draw = (): Replicated<bigint> =>
    mapReplicated(streams, (stream) => stream.below(E, RESIDUE_BYTES));
  const r = draw();
  const term = modulo(productTerm(r, phi, draw()), E);
  const product = modulo(await sumOfResidues(channel, `${label} phi`, term), E);
  const inverse = modInverse(product, E);
  return inverse === undefined
    ? undefined
    : mapReplicated(r, (share) => modulo(-share * inverse, E));
}

/** What is lost by dividing each share of z by e, as a whole number: (1 + Σ z_i mod e) / e. */
async function remainderCarry(
  channel: GenerationChannel,
  label: string,
  remainder: bigint,
): Promise<bigint> {
  const total = 1n + (await sumOfResidues(channel, `${label} remainder`, remainder));
  if (total % E !== 0n) {
    throw new RsaGenerationError('exponent', 'the shares of d do not add up');
  }
  return total / E;
}

async function sumOfResidues(
  channel: GenerationChannel,
  tag: string,
  residue: bigint,
): Promise<bigint> {
  const message = encodeIntegers([residue], RESIDUE_BYTES);
  const residues = await channel.broadcast(tag, message, RESIDUE_BYTES);
  const options = { bytesEach: RESIDUE_BYTES, limit: E, tag };
  return PARTY_NUMBERS.flatMap((from) =>
    decodeIntegers(residues[from], { ...options, from }),
  ).reduce((sum, one) => sum + one, 0n);
}

/** Each part goes from the party of its number to the one before, which then holds it too. */
async function exchangeParts(
  channel: GenerationChannel,
  label: string,
  part: bigint,
  length: number,
): Promise<Replicated<Uint8Array>> {
  const { party } = channel;
  const tag = `${label} part`;
  const own = toBytes(part, length);
  await channel.tell(previousParty(party), tag, own);
  const next = await channel.hear(nextParty(party), tag, length);
  return { own: withoutLeadingZeros(own), next: withoutLeadingZeros(next) };
}
