/**
 * Proof to every party that the opened N is the product of the p and q they hold shares of.
 *
 * The opening adds up what three parties say, so whoever speaks last can make it any number, for instance
 * one it can factor. The biprimality test does not rule that out by itself: it tests exponents, and a
 * number with many factors, each one more than a divisor of some small L, passes when N + 1 − p − q
 * happens to be a multiple of L. So the product is checked as such, in the field of a prime above N, where
 * N' ≡ p·q means N' = p·q:
 *
 *   α random and shared, γ = α·q shared; t a coin tossed then; σ = t·p − α opened;
 *   t·N − γ − σ·q opened: it is t·(N − p·q) − (γ − α·q), and must be 0.
 *
 * A liar adds errors to N and γ before it knows t: it passes with a chance of one in the field's size.
 * Each opened share is told by both its holders, one of whom is honest, so an opening is right or refused.
 */
import { nextParty } from '@countersign/custody/import-package.js';
import { PARTY_NUMBERS, type PartyNumber } from '@countersign/core/parties.js';
import { byteLength, modulo } from '@countersign/core/big-integers.js';
import type { SharedModulus } from './biprimality.js';
import { coinBelow, commitCoin } from './coin-toss.js';
import type { GenerationChannel } from './generation-channel.js';
import { RsaGenerationError } from '../../threads/generation-error.js';
import { decodeIntegers, encodeIntegers } from './integer-vector.js';
import type { PairSecrets } from './pair-secrets.js';
import {
  mapReplicated,
  previousParty,
  productTerm,
  type ByParty,
  type Replicated,
} from './replicated.js';

export interface ProductCheckInput {
  readonly channel: GenerationChannel;
  readonly secrets: PairSecrets;
  /** Part of the messages' tags and of what is drawn. */
  readonly label: string;
  /** A prime above the modulus. */
  readonly field: bigint;
  readonly candidate: SharedModulus;
  readonly random: (length: number) => Uint8Array;
}

/**
 * Returns the coin, 32 bytes, tossed after N was fixed, which may serve other checks too. Throws `RsaGenerationError`:
 * `product` when N is not p·q, `opening` when two holders of a share tell different ones, `coin`.
 */
export async function checkProduct(input: ProductCheckInput): Promise<Buffer> {
  const { channel, secrets, label, field, candidate, random } = input;
  const { modulus, p, q } = candidate;
  const party = channel.party;
  const fieldBytes = byteLength(field);
  const inField = (value: bigint): bigint => modulo(value, field);

  const streams = secrets.streams(`${label} product`);
  const alpha = mapReplicated(streams, (stream) => stream.below(field, fieldBytes));
  const masks = mapReplicated(streams, (stream) => stream.below(field, fieldBytes));
  const ownGamma = inField(productTerm(alpha, q, masks));

  const gammaTag = `${label} gamma`;
  await channel.tell(previousParty(party), gammaTag, encodeIntegers([ownGamma], fieldBytes));
  const coin = await commitCoin(channel, label, random);
  const from = nextParty(party);
  const [nextGamma] = decodeIntegers(await channel.hear(from, gammaTag, fieldBytes), {
    bytesEach: fieldBytes,
    limit: field,
    from,
    tag: gammaTag,
  });
  const gamma = { own: ownGamma, next: nextGamma ?? 0n };
  // the coin is revealed only now: a party reveals its part when it holds its shares of γ
  const seed = await coin.reveal();
  const t = coinBelow(seed, 'product check', field);

  const open = (name: string, shares: Replicated<bigint>): Promise<bigint> =>
    openTwice(channel, `${label} ${name}`, mapReplicated(shares, inField), field);
  const sigma = await open('sigma', {
    own: t * p.own - alpha.own,
    next: t * p.next - alpha.next,
  });
  const constant = (index: PartyNumber): bigint => (index === 1 ? t * modulus : 0n);
  const difference = await open('zero', {
    own: constant(party) - gamma.own - sigma * q.own,
    next: constant(from) - gamma.next - sigma * q.next,
  });
  if (difference !== 0n) {
    throw new RsaGenerationError('product', 'the opened modulus is not the product of p and q');
  }
  return seed;
}

/** Opens a shared value to all; each share is told by both its holders, and must be the same. */
async function openTwice(
  channel: GenerationChannel,
  tag: string,
  shares: Replicated<bigint>,
  field: bigint,
): Promise<bigint> {
  const bytesEach = byteLength(field);
  const message = encodeIntegers([shares.own, shares.next], bytesEach);
  const messages = await channel.broadcast(tag, message, 2 * bytesEach);
  const told = (party: PartyNumber): Replicated<bigint> => {
    const options = { bytesEach, limit: field, from: party, tag };
    const [own = 0n, next = 0n] = decodeIntegers(messages[party], options);
    return { own, next };
  };
  const all: ByParty<Replicated<bigint>> = { 1: told(1), 2: told(2), 3: told(3) };
  for (const party of PARTY_NUMBERS) {
    if (all[party].own === all[previousParty(party)].next) continue;
    throw new RsaGenerationError('opening', `${tag}: the copies of share ${party} differ`);
  }
  return modulo(all[1].own + all[2].own + all[3].own, field);
}
