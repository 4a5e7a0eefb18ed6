/**
 * The parts of an RSA key's private exponent: D = d_1 + d_2 + d_3 over the integers. The offsets r_1 − R/2, r_2 − R/2
 * and R − r_1 − r_2, with r_1 and r_2 uniform below R, add up to 0, so D stays what it is.
 *
 * R is 2^112 times the modulus. What is not known of D is an integer below φ(N): beyond it D is a public multiple of N,
 * but for a term half as long. So an old part and a new one hide D up to a statistical distance of 2^−111. That is as
 * much as RSA of 2048 bits withstands (NIST SP 800-57, part 1, table 2).
 *
 * Parts begin above 2^128 times the modulus, and a resharing takes at most R from one. So there is room for 2^16 of
 * them, one each day for 179 years, before a part could become shorter than it may be.
 */
import { createPublicKey } from 'node:crypto';
import { sodium } from '@countersign/custody/sodium.js';
import type { PartyNumber } from '@countersign/core/parties.js';
import { toBytes } from '@countersign/core/big-integers.js';
import { rsaPublicKey, type RsaPublicValues } from '../../threads/rsa-public-values.js';
import { addIntegers, subtractIntegers } from '../rsa/modexp.js';
import {
  decodeRsaKeyShare,
  encodeRsaKeyShare,
  hasItsCommittedParts,
  requireWellFormed,
} from '../rsa/rsa-key-share.js';
import type { Draw, ReplicatedForm } from './replicated-resharing.js';

const HIDING_BYTES = 14;

export const RSA_PARTS: ReplicatedForm = {
  read({ self, context }, opened) {
    const share = decodeRsaKeyShare(opened);
    const spki = rsaPublicKey(share).export({ format: 'der', type: 'spki' });
    if (share.party !== self || !spki.equals(context.publicKey)) {
      throw new Error(`the share of key ${context.keyId} is of another key`);
    }
    if (!hasItsCommittedParts(share)) {
      throw new Error(`the share of key ${context.keyId} is damaged`);
    }
    return share;
  },
  renew({ context }, draw, index, part) {
    return plusOffset(publicValuesOf(context.publicKey).modulus.length, draw, index, part);
  },
  encode({ self, context }, parts, partCommitments) {
    const share = { party: self, ...publicValuesOf(context.publicKey), partCommitments, ...parts };
    requireWellFormed(share);
    return encodeRsaKeyShare(share);
  },
};

/** Byte by byte, and positive at each step, so that no secret becomes a BigInt. */
function plusOffset(
  modulusBytes: number,
  draw: Draw,
  index: PartyNumber,
  part: Uint8Array,
): Uint8Array {
  const length = modulusBytes + HIDING_BYTES;
  const range = powerOfTwo(8 * length);
  if (index !== 3) {
    const drawn = draw(String(index), length);
    return wipingAll([drawn, addIntegers(part, drawn)], ([, sum]) =>
      subtractIntegers(sum!, powerOfTwo(8 * length - 1)),
    );
  }
  const [first, second] = [draw('1', length), draw('2', length)];
  return wipingAll(
    [addIntegers(part, range), addIntegers(first, second), first, second],
    ([raised, taken]) => subtractIntegers(raised!, taken!),
  );
}

function wipingAll<T>(
  secrets: readonly Uint8Array[],
  run: (secrets: readonly Uint8Array[]) => T,
): T {
  try {
    return run(secrets);
  } finally {
    for (const secret of secrets) sodium.sodium_memzero(secret);
  }
}

function powerOfTwo(exponent: number): Uint8Array {
  return toBytes(1n << BigInt(exponent));
}

/** Of a public key in SubjectPublicKeyInfo (DER). */
function publicValuesOf(publicKey: Uint8Array): RsaPublicValues {
  const key = createPublicKey({ key: Buffer.from(publicKey), format: 'der', type: 'spki' });
  const { n = '' } = key.export({ format: 'jwk' });
  const exponent = key.asymmetricKeyDetails?.publicExponent ?? 0n;
  return { modulus: Buffer.from(n, 'base64url'), publicExponent: Number(exponent) };
}
