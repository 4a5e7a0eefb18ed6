/** A random number that no party chose: each commits to its part before it sees the others'. */
import { createHash } from 'node:crypto';
import { ByteWriter } from '@countersign/core/bytes.js';
import { sha256 } from '@countersign/core/hash.js';
import { PARTY_NUMBERS, type PartyNumber } from '@countersign/core/parties.js';
import { byteLength, modulo, toBigInt } from '@countersign/core/big-integers.js';
import type { GenerationChannel } from './generation-channel.js';
import { RsaGenerationError } from '../../threads/generation-error.js';

const PART_BYTES = 32;
const COMMITMENT_BYTES = 32;
const COMMITMENT_DOMAIN = 'countersign rsa coin commitment v1';
const COIN_DOMAIN = 'countersign rsa coin v1';
const EXPAND_DOMAIN = 'countersign rsa coin use v1';
const SPARE_BYTES = 16;

export interface CommittedCoin {
  /**
   * Returns the coin, 32 bytes. It must be called only when all that may not depend on the coin is fixed, at this party
   * too: its own part is what makes the coin unpredictable. Throws `RsaGenerationError` `coin`.
   */
  reveal(): Promise<Buffer>;
}

/** First half: returns when all three are committed. */
export async function commitCoin(
  channel: GenerationChannel,
  label: string,
  random: (length: number) => Uint8Array,
): Promise<CommittedCoin> {
  const own = random(PART_BYTES);
  const commitment = coinCommitment(channel.party, label, own);
  const commitments = await channel.broadcast(`${label} coin`, commitment, COMMITMENT_BYTES);
  return {
    async reveal() {
      const parts = await channel.broadcast(`${label} coin part`, own, PART_BYTES);
      for (const party of PARTY_NUMBERS) {
        if (coinCommitment(party, label, parts[party]).equals(commitments[party])) continue;
        throw new RsaGenerationError('coin', `party ${party} revealed another coin`, { party });
      }
      return sha256(
        new ByteWriter().field(COIN_DOMAIN).fixed(parts[1]).fixed(parts[2]).fixed(parts[3]).bytes(),
      );
    },
  };
}

/** The commitment names its party and use, so a copied one cannot be opened. */
function coinCommitment(party: PartyNumber, label: string, part: Uint8Array): Buffer {
  return sha256(
    new ByteWriter().field(COMMITMENT_DOMAIN).field(label).u8(party).field(part).bytes(),
  );
}

/** Bytes from a coin for one use. */
export function coinBytes(coin: Uint8Array, use: string, length: number): Buffer {
  const label = new ByteWriter().field(EXPAND_DOMAIN).field(use).field(coin).bytes();
  return createHash('shake256', { outputLength: length }).update(label).digest();
}

/** A number below `bound`, uniform but for 2^−128, from a coin for one use. */
export function coinBelow(coin: Uint8Array, use: string, bound: bigint): bigint {
  const length = byteLength(bound) + SPARE_BYTES;
  return modulo(toBigInt(coinBytes(coin, use, length)), bound);
}
