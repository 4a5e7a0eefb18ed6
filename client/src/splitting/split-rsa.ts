import { toBigInt, toBytes, bitLength, modulo } from '@countersign/core/big-integers.js';
import type { RsaSecret } from '../keys/imported-secret.js';
import { commitToParts, replicateParts } from './replicated-parts.js';
import type { RandomSource, SplitSecret } from './split-form.js';

/** Bits drawn beyond those of the modulus: the bias of the reduction is below 2^-64. */
const EXCESS_BITS = 64;

/**
 * d = d_1 + d_2 + d_3 mod φ(N), with d_1 and d_2 uniform: any two of the three are, too. All have the
 * length of the modulus, so that the length of what is sealed says nothing about them.
 */
export function splitRsa(secret: RsaSecret, random: RandomSource): SplitSecret {
  const phi = (secret.p - 1n) * (secret.q - 1n);
  const first = randomBelow(phi, random);
  const second = randomBelow(phi, random);
  const third = modulo(secret.d - first - second, phi);
  const modulus = toBytes(secret.modulus);
  const bytesOf = (part: bigint) => toBytes(part, modulus.length);
  const parts = [bytesOf(first), bytesOf(second), bytesOf(third)] as const;
  const { publicExponent } = secret;
  return {
    common: { type: 'rsa', modulus, publicExponent, partCommitments: commitToParts(parts) },
    parts: replicateParts('rsa', parts),
  };
}

function randomBelow(bound: bigint, random: RandomSource): bigint {
  const bytes = random(Math.ceil((bitLength(bound) + EXCESS_BITS) / 8));
  const value = modulo(toBigInt(bytes), bound);
  bytes.fill(0);
  return value;
}
