import type { Bytes } from '@countersign/core/bytes.js';
import { partCommitment, type PrivatePart } from '@countersign/custody/import-package.js';
import type { PartyNumber } from '@countersign/core/parties.js';

/** Three parts of a secret that all three are needed for. */
export type ThreeParts = readonly [Bytes, Bytes, Bytes];

/** Party i gets parts i and i mod 3 + 1: any two parties have all three, no party has. */
export function replicateParts(
  type: 'rsa' | 'hmac',
  [first, second, third]: ThreeParts,
): Record<PartyNumber, PrivatePart> {
  return {
    1: { type, parts: [first, second] },
    2: { type, parts: [second, third] },
    3: { type, parts: [third, first] },
  };
}

export function commitToParts([first, second, third]: ThreeParts) {
  return [partCommitment(1, first), partCommitment(2, second), partCommitment(3, third)] as const;
}
