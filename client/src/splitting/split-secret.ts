/** A whole secret to the public package and the three private parts of an import. */
import { randomBytes } from 'node:crypto';
import type { ImportedSecret } from '../keys/imported-secret.js';
import { splitEd25519 } from './split-ed25519.js';
import type { RandomSource, SplitSecret } from './split-form.js';
import { splitHmac } from './split-hmac.js';
import { splitRsa } from './split-rsa.js';

export function splitSecret(
  secret: ImportedSecret,
  random: RandomSource = randomBytes,
): SplitSecret {
  switch (secret.type) {
    case 'hmac':
      return splitHmac(secret, random);
    case 'rsa':
      return splitRsa(secret, random);
    case 'ed25519':
      return splitEd25519(secret.seed, random);
  }
}

/** Overwrites the parts: what was sealed need not stay in memory. */
export function wipeParts({ parts }: SplitSecret): void {
  for (const part of Object.values(parts)) {
    if (part.type === 'ed25519') part.signingShare.fill(0);
    else for (const shared of part.parts) shared.fill(0);
  }
}
