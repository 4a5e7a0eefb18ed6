/**
 * What an importing client seals to one party: its part of a split secret, and the public package that
 * all three parties get alike. Parties attest the hash of the package, so a client that shows two of
 * them different ones imports nothing.
 *
 * RSA and HMAC secrets are split in three, replicated: party i holds parts i and next(i) = i mod 3 + 1
 * and lacks the third, so any two parties hold all of them and no one does.
 *  - rsa: d_1 + d_2 + d_3 = d + 2^132·φ(N), a private exponent too. Parts are big-endian integers, each
 *    about a third of the sum: a resharing has room to change them.
 *  - hmac: payload = x_1 ⊕ x_2 ⊕ x_3, parts of equal length; see {@link encodeHmacPayload}.
 *  - ed25519: FROST (RFC 9591) shares of the seed's scalar, s_i = s + a·i mod L.
 */
import { ByteReader, ByteWriter, type Bytes } from '@countersign/core/bytes.js';
import { sha256 } from '@countersign/core/hash.js';
import type { KeyType } from '@countersign/core/signature-schemes.js';
import { PARTY_NUMBERS, type PartyNumber } from '@countersign/core/parties.js';

const PACKAGE_DOMAIN = 'countersign import package v1';
const PART_DOMAIN = 'countersign import part v1';
const INFO_DOMAIN = 'countersign key import v1';

export type PublicPackage =
  | {
      readonly type: 'ed25519';
      /** Feldman commitments s·B and a·B, 32 bytes each; the first is the public key. */
      readonly commitments: readonly [Bytes, Bytes];
    }
  | {
      readonly type: 'rsa';
      /** Big-endian, without leading zeros. */
      readonly modulus: Bytes;
      readonly publicExponent: number;
      /** {@link partCommitment} of d_1, d_2, d_3. */
      readonly partCommitments: readonly [Bytes, Bytes, Bytes];
    }
  | {
      readonly type: 'hmac';
      /** {@link partCommitment} of x_1, x_2, x_3. */
      readonly partCommitments: readonly [Bytes, Bytes, Bytes];
    };

export type PrivatePart =
  | { readonly type: 'ed25519'; /** 32 bytes, little-endian. */ readonly signingShare: Bytes }
  | {
      readonly type: 'rsa' | 'hmac';
      /** Parts i and next(i). */ readonly parts: readonly [Bytes, Bytes];
    };

export interface ImportPackage {
  readonly party: PartyNumber;
  readonly common: PublicPackage;
  readonly part: PrivatePart;
}

export function nextParty(party: PartyNumber): PartyNumber {
  return ((party % 3) + 1) as PartyNumber;
}

/** Binds the part, and hides it, since the part is long and random. `index`: 1 to 3. */
export function partCommitment(index: PartyNumber, part: Bytes): Buffer {
  return sha256(new ByteWriter().field(PART_DOMAIN).u8(index).field(part).bytes());
}

/** HPKE `info` (RFC 9180): shares sealed for one vault, party and importer mean nothing to another. */
export function importInfo(context: {
  /** Hex. */
  readonly genesisHash: string;
  readonly party: PartyNumber;
  /** The user who asks for the import: nobody else can import the same ciphertext. */
  readonly userId: string;
  readonly type: KeyType;
}): Buffer {
  return new ByteWriter()
    .field(INFO_DOMAIN)
    .field(context.genesisHash)
    .u8(context.party)
    .field(context.userId)
    .field(context.type)
    .bytes();
}

export function encodePublicPackage(common: PublicPackage): Buffer {
  const writer = new ByteWriter().field(PACKAGE_DOMAIN).field(common.type);
  switch (common.type) {
    case 'ed25519':
      return writer.fixed(common.commitments[0]).fixed(common.commitments[1]).bytes();
    case 'rsa':
      writer.field(common.modulus).u32(common.publicExponent);
      break;
    case 'hmac':
  }
  for (const commitment of common.partCommitments) writer.fixed(commitment);
  return writer.bytes();
}

/** Each party attests this for an import, in place of a ceremony's transcript. */
export function publicPackageHash(common: PublicPackage): Buffer {
  return sha256(encodePublicPackage(common));
}

export function encodeImportPackage({ party, common, part }: ImportPackage): Buffer {
  const writer = new ByteWriter().u8(party).field(encodePublicPackage(common));
  if (part.type === 'ed25519') return writer.fixed(part.signingShare).bytes();
  return writer.field(part.parts[0]).field(part.parts[1]).bytes();
}

/** Throws RangeError on malformed bytes. The party checks whether the shares fit. */
export function decodeImportPackage(bytes: Bytes): ImportPackage {
  const reader = new ByteReader(bytes);
  const number = reader.u8();
  const party = PARTY_NUMBERS.find((candidate) => candidate === number);
  if (party === undefined) throw new RangeError('unknown party');
  const common = decodePublicPackage(reader.field());
  const part: PrivatePart =
    common.type === 'ed25519'
      ? { type: 'ed25519', signingShare: reader.fixed(32) }
      : { type: common.type, parts: [reader.field(), reader.field()] };
  reader.end();
  return { party, common, part };
}

function decodePublicPackage(bytes: Bytes): PublicPackage {
  const reader = new ByteReader(bytes);
  if (reader.text() !== PACKAGE_DOMAIN) throw new RangeError('not an import package');
  const common = readPublicPackage(reader.text(), reader);
  reader.end();
  return common;
}

function readPublicPackage(type: string, reader: ByteReader): PublicPackage {
  const commitments = () => [reader.fixed(32), reader.fixed(32), reader.fixed(32)] as const;
  switch (type) {
    case 'ed25519':
      return { type, commitments: [reader.fixed(32), reader.fixed(32)] };
    case 'rsa': {
      const modulus = reader.field();
      const publicExponent = reader.u32();
      return { type, modulus, publicExponent, partCommitments: commitments() };
    }
    case 'hmac':
      return { type, partCommitments: commitments() };
    default:
      throw new RangeError('unknown key type');
  }
}

/** The form in which an HMAC secret is split: with what else the venue gave, and a checksum. */
export interface HmacPayload {
  /** The bytes that key the HMAC: decoded, never the text they came in. */
  readonly secret: Bytes;
  /** Empty when the venue has none. */
  readonly passphrase: string;
}

const CHECK_BYTES = 16;
/** Short secrets are padded, so that each part has at least this much randomness. */
const MIN_PAYLOAD_BYTES = 96;

/**
 * secret and passphrase (length-prefixed) ‖ padding (length-prefixed zeros) ‖ checksum (first 16 bytes of SHA-256 of
 * what precedes). The checksum is split too, so only whoever joins the parts can see it. It tells a wrong part from a
 * right one, and gives no single party anything to guess against.
 */
export function encodeHmacPayload({ secret, passphrase }: HmacPayload): Buffer {
  const content = new ByteWriter().field(secret).field(passphrase).bytes();
  const padding = Math.max(0, MIN_PAYLOAD_BYTES - CHECK_BYTES - 4 - content.length);
  const body = Buffer.concat([content, new ByteWriter().field(Buffer.alloc(padding)).bytes()]);
  const payload = Buffer.concat([body, sha256(body).subarray(0, CHECK_BYTES)]);
  content.fill(0);
  body.fill(0);
  return payload;
}

/** Reverses {@link encodeHmacPayload} without copying. Throws RangeError when a part was wrong. */
export function decodeHmacPayload(payload: Bytes): HmacPayload {
  const body = payload.subarray(0, Math.max(0, payload.length - CHECK_BYTES));
  const check = sha256(body).subarray(0, CHECK_BYTES);
  if (!check.equals(payload.subarray(body.length))) throw new RangeError('checksum differs');
  const reader = new ByteReader(body);
  const secret = reader.field();
  const passphrase = reader.text();
  reader.field();
  reader.end();
  return { secret, passphrase };
}
