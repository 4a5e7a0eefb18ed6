import { createHash } from 'node:crypto';
import type { Bytes } from '@countersign/core/bytes.js';
import type { PrivatePart } from '@countersign/custody/import-package.js';
import { sodium } from '@countersign/custody/sodium.js';
import type { RandomSource, SplitSecret } from './split-form.js';

const SCALAR_BYTES = 32;

/**
 * FROST shares (RFC 9591, appendix C.1) of the scalar s of a seed: s_i = s + a·i mod L for party i, with
 * a uniform. Commitments to s and a let each party check its share (Feldman); that to s is the public
 * key that the seed has always had. Nothing here is a BigInt: all of it can be wiped.
 */
export function splitEd25519(seed: Bytes, random: RandomSource): SplitSecret {
  const scalar = scalarOfSeed(seed);
  const slope = reduceAndWipe(random(2 * SCALAR_BYTES));
  const common = {
    type: 'ed25519',
    commitments: [multiplyBase(scalar), multiplyBase(slope)],
  } as const;
  // i is 1, 2 or 3: three additions give all shares
  const first = addScalars(scalar, slope);
  const second = addScalars(first, slope);
  const third = addScalars(second, slope);
  scalar.fill(0);
  slope.fill(0);
  return { common, parts: { 1: shareOf(first), 2: shareOf(second), 3: shareOf(third) } };
}

function shareOf(signingShare: Buffer): PrivatePart {
  return { type: 'ed25519', signingShare };
}

/** The clamped first half of SHA-512 of the seed (RFC 8032, section 5.1.5) modulo L. */
function scalarOfSeed(seed: Bytes): Buffer {
  const wide = createHash('sha512').update(seed).digest();
  wide.fill(0, SCALAR_BYTES);
  wide[0] = (wide[0] ?? 0) & 0xf8;
  wide[31] = ((wide[31] ?? 0) & 0x7f) | 0x40;
  return reduceAndWipe(wide);
}

function addScalars(x: Bytes, y: Bytes): Buffer {
  const wide = Buffer.alloc(2 * SCALAR_BYTES);
  let carry = 0;
  for (let index = 0; index < SCALAR_BYTES; index += 1) {
    const sum = (x[index] ?? 0) + (y[index] ?? 0) + carry;
    wide[index] = sum & 0xff;
    carry = sum >> 8;
  }
  return reduceAndWipe(wide);
}

/** `wide`: 64 bytes, little-endian. */
function reduceAndWipe(wide: Buffer): Buffer {
  const scalar = Buffer.alloc(SCALAR_BYTES);
  sodium.crypto_core_ed25519_scalar_reduce(scalar, wide);
  wide.fill(0);
  return scalar;
}

/** Throws on zero, which no seed gives and no random number is. */
function multiplyBase(scalar: Bytes): Buffer {
  const point = Buffer.alloc(32);
  sodium.crypto_scalarmult_ed25519_base_noclamp(point, scalar);
  return point;
}
