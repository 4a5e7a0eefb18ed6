/**
 * One party's share of an RSA key, in the form that is sealed at rest.
 *
 * d = d_1 + d_2 + d_3 over the integers; party i holds parts i and next(i) = i mod 3 + 1. The public values travel
 * inside the seal with the secret. A party then signs only under the modulus its parts were made for, and can tell a
 * damaged part of its own from a partner's lie.
 */
import { ByteReader, ByteWriter, type Bytes } from '@countersign/core/bytes.js';
import { nextParty, partCommitment } from '@countersign/custody/import-package.js';
import { PARTY_NUMBERS, type PartyNumber } from '@countersign/core/parties.js';
import { bitLengthOfBytes } from '@countersign/core/big-integers.js';
import { RsaError } from './rsa-error.js';
import type { PartCommitments, RsaPublicValues } from '../../threads/rsa-public-values.js';

export interface RsaKeyShare extends RsaPublicValues {
  readonly party: PartyNumber;
  readonly partCommitments: PartCommitments;
  /** d_party, big-endian. Secret. */
  readonly own: Bytes;
  /** d_next(party), big-endian. Secret. */
  readonly next: Bytes;
}

const ENCODING_VERSION = 1;
const COMMITMENT_BYTES = 32;
const MIN_PUBLIC_EXPONENT = 3;
const MAX_PUBLIC_EXPONENT = 2 ** 32 - 1;
/** Sizes of modulus that keys may have. */
export const MODULUS_BITS: readonly number[] = [2048, 3072, 4096];
/** A new part is this much longer than the modulus, and four bits more at most. */
const NEW_EXTRA_BITS = 129;
/** Each resharing can take a little from a part (see `rsa-parts.ts`), and a part stays positive. */
const MIN_EXTRA_BITS = 121;
const MAX_EXTRA_BITS = 160;

/**
 * version 1 (u8) ‖ party (u8) ‖ modulus (field) ‖ public exponent (u32) ‖ three commitments (32 bytes
 * each) ‖ own part (field) ‖ next part (field). Secret: the caller wipes it.
 */
export function encodeRsaKeyShare(share: RsaKeyShare): Buffer {
  const writer = new ByteWriter()
    .u8(ENCODING_VERSION)
    .u8(share.party)
    .field(share.modulus)
    .u32(share.publicExponent);
  for (const commitment of share.partCommitments) writer.fixed(commitment);
  return writer.field(share.own).field(share.next).bytes();
}

/**
 * Decodes a share. The result is views into `bytes`, so that wiping `bytes` wipes both parts. Checks
 * shapes and sizes; see {@link hasItsCommittedParts} for the rest. `modulusBits`: the sizes allowed.
 * Throws `RsaError` `invalid_input`.
 */
export function decodeRsaKeyShare(
  bytes: Bytes,
  modulusBits: readonly number[] = MODULUS_BITS,
): RsaKeyShare {
  let share: RsaKeyShare;
  try {
    share = readKeyShare(new ByteReader(bytes));
  } catch (cause) {
    if (!(cause instanceof RangeError)) throw cause;
    throw new RsaError('invalid_input', 'not an encoded RSA key share', { cause });
  }
  requireWellFormed(share, modulusBits);
  return share;
}

function readKeyShare(reader: ByteReader): RsaKeyShare {
  if (reader.u8() !== ENCODING_VERSION) throw new RangeError('unknown version');
  const number = reader.u8();
  const party = PARTY_NUMBERS.find((candidate) => candidate === number);
  if (party === undefined) throw new RangeError('unknown party');
  const modulus = reader.field();
  const publicExponent = reader.u32();
  const commitment = (): Buffer => reader.fixed(COMMITMENT_BYTES);
  const partCommitments: PartCommitments = [commitment(), commitment(), commitment()];
  const share = { party, modulus, publicExponent, partCommitments };
  const parts = { own: reader.field(), next: reader.field() };
  reader.end();
  return { ...share, ...parts };
}

/** Throws `RsaError` `invalid_input` unless every value of `share` has a size that a share can have. */
export function requireWellFormed(
  share: RsaKeyShare,
  modulusBits: readonly number[] = MODULUS_BITS,
): void {
  const { modulus, publicExponent, own, next } = share;
  const bits = bitLengthOfBytes(modulus);
  if (!modulusBits.includes(bits) || modulus.length !== Math.ceil(bits / 8)) {
    throw new RsaError('invalid_input', `key share: modulus of ${bits} bits`);
  }
  if (((modulus.at(-1) ?? 0) & 1) === 0) {
    throw new RsaError('invalid_input', 'key share: even modulus');
  }
  const isUsableExponent =
    publicExponent >= MIN_PUBLIC_EXPONENT &&
    publicExponent <= MAX_PUBLIC_EXPONENT &&
    publicExponent % 2 === 1;
  if (!isUsableExponent) throw new RsaError('invalid_input', 'key share: public exponent');
  for (const part of [own, next]) {
    const partBits = bitLengthOfBytes(part);
    if (partBits < bits + MIN_EXTRA_BITS || partBits > bits + MAX_EXTRA_BITS) {
      throw new RsaError('invalid_input', 'key share: a part is too short or too long');
    }
  }
}

/** Whether both parts are long enough for all resharings to come. For parts that somebody else made. */
export function hasNewParts({ modulus, own, next }: RsaKeyShare): boolean {
  const enough = bitLengthOfBytes(modulus) + NEW_EXTRA_BITS;
  return bitLengthOfBytes(own) >= enough && bitLengthOfBytes(next) >= enough;
}

/** Whether both parts are those that all parties committed to. For new, imported and doubtful shares. */
export function hasItsCommittedParts(share: RsaKeyShare): boolean {
  const { party, own, next } = share;
  return isCommittedPart(share, party, own) && isCommittedPart(share, nextParty(party), next);
}

function isCommittedPart(share: RsaKeyShare, index: PartyNumber, part: Bytes): boolean {
  const committed = share.partCommitments[index - 1];
  return committed !== undefined && partCommitment(index, part).equals(committed);
}
