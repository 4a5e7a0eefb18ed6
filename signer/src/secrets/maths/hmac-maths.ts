/**
 * HMAC with a secret that is split in three, replicated: payload = x_1 ⊕ x_2 ⊕ x_3, and party i holds x_i and
 * x_next(i). The partner gives the one part that the lead lacks. The lead checks it against the commitment that all were
 * told when the parts were made, joins the three inside this thread, for one use, and wipes them.
 */
import { createHmac } from 'node:crypto';
import { ByteReader, ByteWriter } from '@countersign/core/bytes.js';
import {
  decodeHmacPayload,
  nextParty,
  partCommitment,
} from '@countersign/custody/import-package.js';
import type { PartyNumber } from '@countersign/core/parties.js';
import { sodium } from '@countersign/custody/sodium.js';
import type {
  CombinedSignature,
  LeadMathsInput,
  PartnerMathsInput,
} from '../../threads/thread-tasks.js';
import { MathsRefusal } from './maths-refusal.js';

/** Names this form of secret where it is sealed (`ShareContext.scheme`). */
export const HMAC_SCHEME = 'hmac-replicated-v1';

const HASHES: Readonly<Record<string, string>> = {
  hmac_sha256: 'sha256',
  hmac_sha384: 'sha384',
  hmac_sha512: 'sha512',
};

export interface HmacKeyShare {
  readonly party: PartyNumber;
  /** x_i and x_next(i), of equal length. Secret. */
  readonly parts: readonly [Uint8Array, Uint8Array];
  /** `partCommitment` of the part that this party lacks, 32 bytes. */
  readonly missingCommitment: Uint8Array;
}

const COMMITMENT_BYTES = 32;

/** party ‖ parts, each with its length ‖ commitment. Secret: the caller wipes it. */
export function encodeHmacKeyShare(share: HmacKeyShare): Uint8Array {
  const { party, parts, missingCommitment } = share;
  return new ByteWriter()
    .u8(party)
    .field(parts[0])
    .field(parts[1])
    .fixed(missingCommitment)
    .bytes();
}

/** Views into `bytes`. Throws `MathsRefusal` `share` when it is another party's or malformed. */
export function decodeHmacKeyShare(party: PartyNumber, bytes: Uint8Array): HmacKeyShare {
  try {
    const reader = new ByteReader(bytes);
    const owner = reader.u8();
    const parts = [reader.field(), reader.field()] as const;
    const missingCommitment = reader.fixed(COMMITMENT_BYTES);
    reader.end();
    if (owner === party && parts[0].length === parts[1].length) {
      return { party, parts, missingCommitment };
    }
  } catch (cause) {
    throw new MathsRefusal('share', { cause });
  }
  throw new MathsRefusal('share');
}

/** The part that the lead lacks. */
export function hmacContribution(
  party: PartyNumber,
  opened: Uint8Array,
  { leadParty }: PartnerMathsInput,
): Uint8Array {
  const { parts } = decodeHmacKeyShare(party, opened);
  const missing = partThatLacks(leadParty as PartyNumber);
  return Uint8Array.from(missing === party ? parts[0] : parts[1]);
}

/** The index of the part that this party does not hold. */
export function partThatLacks(party: PartyNumber): PartyNumber {
  return nextParty(nextParty(party));
}

/**
 * Throws `MathsRefusal` `partner-share` when the partner's part is not the one that was committed to. Throws `share` when
 * it is, and the three still make no secret: then the importing client split something else.
 */
export function hmacSignature(
  party: PartyNumber,
  opened: Uint8Array,
  { contribution, message, scheme, passphrase }: LeadMathsInput,
): CombinedSignature {
  const hash = HASHES[scheme];
  if (hash === undefined) throw new MathsRefusal('fault');
  const { parts, missingCommitment } = decodeHmacKeyShare(party, opened);
  requireCommitted(party, contribution, missingCommitment);
  const payload = joinParts(parts[0], parts[1], contribution);
  try {
    const joined = decodePayload(payload);
    return {
      signature: Uint8Array.from(createHmac(hash, joined.secret).update(message).digest()),
      passphrase:
        passphrase === 'hmac_sha256'
          ? createHmac('sha256', joined.secret).update(joined.passphrase).digest('base64')
          : passphrase === 'plain'
            ? joined.passphrase
            : '',
    };
  } finally {
    sodium.sodium_memzero(payload);
  }
}

function joinParts(a: Uint8Array, b: Uint8Array, c: Uint8Array): Uint8Array {
  if (c.length !== a.length) throw new MathsRefusal('partner-share');
  const joined = new Uint8Array(a.length);
  for (let at = 0; at < joined.length; at++) joined[at] = a[at]! ^ b[at]! ^ c[at]!;
  return joined;
}

function requireCommitted(party: PartyNumber, part: Uint8Array, commitment: Uint8Array): void {
  if (!partCommitment(partThatLacks(party), part).equals(commitment)) {
    throw new MathsRefusal('partner-share');
  }
}

/**
 * Decodes the joined parts. This party's were checked against the commitments when they were stored, the partner's
 * before this.
 */
function decodePayload(payload: Uint8Array) {
  try {
    return decodeHmacPayload(payload);
  } catch {
    throw new MathsRefusal('share');
  }
}
