import { encodeHmacPayload } from '@countersign/custody/import-package.js';
import type { HmacSecret } from '../keys/imported-secret.js';
import { commitToParts, replicateParts } from './replicated-parts.js';
import type { RandomSource, SplitSecret } from './split-form.js';

/** payload = x_1 ⊕ x_2 ⊕ x_3, with x_1 and x_2 random: any two of the three are, too. */
export function splitHmac(secret: HmacSecret, random: RandomSource): SplitSecret {
  const payload = encodeHmacPayload(secret);
  const first = random(payload.length);
  const second = random(payload.length);
  const third = Buffer.alloc(payload.length);
  for (const [index, byte] of payload.entries()) {
    third[index] = byte ^ (first[index] ?? 0) ^ (second[index] ?? 0);
  }
  payload.fill(0);
  const parts = [first, second, third] as const;
  return {
    common: { type: 'hmac', partCommitments: commitToParts(parts) },
    parts: replicateParts('hmac', parts),
  };
}
