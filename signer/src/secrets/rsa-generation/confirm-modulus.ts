/** Tests a modulus that passed the first test before a key is made of it. */
import { gcd } from '../rsa/integers.js';
import { modulo, toBigInt, toBytes } from '@countersign/core/big-integers.js';
import {
  FINAL_LENGTHS,
  finalBases,
  finalDigests,
  isAcceptedByEveryPair,
  sumOfFactors,
  type SharedModulus,
} from './biprimality.js';
import { coinBytes } from './coin-toss.js';
import type { GenerationChannel } from './generation-channel.js';
import { RsaGenerationError } from '../../threads/generation-error.js';
import type { GenerationParameters } from './generation-parameters.js';
import type { PairSecrets } from './pair-secrets.js';
import { checkProduct } from './product-check.js';
import { mapReplicated, productTerm } from './replicated.js';

const BASES_SEED_BYTES = 32;

export interface ConfirmInput {
  readonly channel: GenerationChannel;
  readonly parameters: GenerationParameters;
  readonly secrets: PairSecrets;
  readonly label: string;
  readonly candidate: SharedModulus;
  readonly random: (length: number) => Uint8Array;
}

/**
 * Returns a coin, 32 bytes, tossed when N was fixed. Throws `RsaGenerationError`: `product`, `biprimality`, and those
 * of a lie found on the way. An honest run very rarely ends here, when a composite passed the first test.
 */
export async function confirmModulus(input: ConfirmInput): Promise<Buffer> {
  const { channel, parameters, secrets, label, candidate, random } = input;
  // all agree on one modulus and the same broadcasts before anything that depends on them is said
  await channel.agree(`${label} agreed`);
  const field = parameters.checkField;
  const coin = await checkProduct({ channel, secrets, label, field, candidate, random });

  const bases = finalBases(candidate.modulus, coinBytes(coin, 'bases', BASES_SEED_BYTES));
  const digests = await channel.broadcast(
    `${label} final test`,
    finalDigests(channel.party, candidate, bases),
    FINAL_LENGTHS,
  );
  if (!isAcceptedByEveryPair(digests)) {
    throw new RsaGenerationError('biprimality', 'the modulus is not the product of two primes');
  }
  await checkCofactor(input);
  return coin;
}

/**
 * Checks gcd(p + q − 1, N) = 1. A composite that the test above passes has a p or q that is a power of a prime, and
 * fails here (Boneh and Franklin, section 3, step 4). r·(p + q − 1) mod N is opened for a random r.
 */
async function checkCofactor(input: ConfirmInput): Promise<void> {
  const { channel, parameters, secrets, label, candidate } = input;
  const { modulus } = candidate;
  const { modulusBytes } = parameters;
  const sum = sumOfFactors(candidate);
  // share 1 takes the −1: party 1 holds it as `own`, party 3 as `next`
  const shifted = {
    own: sum.own - (channel.party === 1 ? 1n : 0n),
    next: sum.next - (channel.party === 3 ? 1n : 0n),
  };
  const streams = secrets.streams(`${label} cofactor`);
  const r = mapReplicated(streams, (stream) => stream.below(modulus, modulusBytes));
  const masks = mapReplicated(streams, (stream) => stream.below(modulus, modulusBytes));
  const term = toBytes(modulo(productTerm(r, shifted, masks), modulus), modulusBytes);
  const terms = await channel.broadcast(`${label} cofactor`, term, modulusBytes);
  const opened = toBigInt(terms[1]) + toBigInt(terms[2]) + toBigInt(terms[3]);
  if (gcd(opened % modulus, modulus) !== 1n) {
    throw new RsaGenerationError('biprimality', 'p + q − 1 shares a factor with N');
  }
}
