import { toBigInt, toBytes } from '@countersign/core/big-integers.js';
import type { RsaSecret } from '../keys/imported-secret.js';
import { commitToParts, replicateParts } from './replicated-parts.js';
import type { RandomSource, SplitSecret } from './split-form.js';

/** 2^132: what is added to d outweighs every mask, so that each part is positive and stays so when it is reshared. */
const ADDED_BITS = 132n;
/** Masks are 2^128 times the modulus; they hide a multiple of φ(N), unknown below N, to 2^-127. */
const MASK_EXTRA_BYTES = 16;
/** The length of each part beyond the modulus: it says nothing about them. */
const PART_EXTRA_BYTES = 17;

/**
 * d_1 + d_2 + d_3 = d + 2^132·φ(N), which signs as d does. Each part is about a third of 2^132·N. d_1 and d_2 are masked
 * with numbers of their own, and d_3 with both.
 */
export function splitRsa(secret: RsaSecret, random: RandomSource): SplitSecret {
  const phi = (secret.p - 1n) * (secret.q - 1n);
  const modulus = toBytes(secret.modulus);
  const third = (secret.modulus << ADDED_BITS) / 3n;
  const first = third + drawMask(modulus.length, random);
  const second = third + drawMask(modulus.length, random);
  const last = secret.d + (phi << ADDED_BITS) - first - second;
  const bytesOf = (part: bigint) => toBytes(part, modulus.length + PART_EXTRA_BYTES);
  const parts = [bytesOf(first), bytesOf(second), bytesOf(last)] as const;
  const { publicExponent } = secret;
  return {
    common: { type: 'rsa', modulus, publicExponent, partCommitments: commitToParts(parts) },
    parts: replicateParts('rsa', parts),
  };
}

/** Uniform, as likely negative as positive. */
function drawMask(modulusBytes: number, random: RandomSource): bigint {
  const bytes = random(modulusBytes + MASK_EXTRA_BYTES);
  const mask = toBigInt(bytes) - (1n << BigInt(8 * bytes.length - 1));
  bytes.fill(0);
  return mask;
}
