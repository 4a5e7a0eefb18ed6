/** Whose prices a process believes, and how far. Each party's operator writes the file for themselves. */
import { readFileSync } from 'node:fs';
import { z } from 'zod';
import { parseBase64 } from '@countersign/core/bytes.js';
import { isEd25519PublicKey } from '@countersign/core/ed25519.js';
import { isPriceName } from '@countersign/core/price-snapshot.js';
import { ConfigError } from '../process/config.js';

export interface TrustedRelay {
  readonly name: string;
  /** Ed25519, 32 bytes. */
  readonly publicKey: Uint8Array;
}

export interface PriceTrust {
  readonly relays: readonly TrustedRelay[];
  /** How many of them must have a fresh price. */
  readonly needed: number;
  /** Older snapshots do not count, ms. */
  readonly maxAgeMs: number;
  /** How far the relays' prices may lie apart, in basis points (hundredths of a percent) of the lowest. */
  readonly maxSpreadBps: number;
}

const publicKey = z.string().transform((text, context) => {
  const bytes = parseBase64(text);
  if (bytes !== undefined && isEd25519PublicKey(bytes)) return bytes;
  context.addIssue({ code: 'custom', message: 'must be an Ed25519 public key, base64' });
  return z.NEVER;
});

const schema = z
  .strictObject({
    relays: z
      .array(z.strictObject({ name: z.string().refine(isPriceName), public_key: publicKey }))
      .min(1)
      .max(16),
    relays_needed: z.int().min(1),
    max_age_s: z.int().min(1).max(3_600).prefault(300),
    max_spread_bps: z.int().min(1).max(10_000).prefault(200),
  })
  .refine(({ relays, relays_needed: needed }) => needed <= relays.length, {
    path: ['relays_needed'],
    message: 'is more than there are relays',
  })
  .refine(({ relays }) => new Set(relays.map(({ name }) => name)).size === relays.length, {
    path: ['relays'],
    message: 'names a relay twice',
  });

/** Throws ConfigError, naming what is wrong in the file. */
export function readPriceTrust(file: string): PriceTrust {
  const read = schema.safeParse(parseFile(file));
  if (!read.success) {
    const [issue] = read.error.issues;
    throw new ConfigError(`${file}: ${issue!.path.join('.')}: ${issue!.message}`);
  }
  const { relays, relays_needed: needed, max_age_s: maxAgeS, max_spread_bps } = read.data;
  return {
    relays: relays.map(({ name, public_key }) => ({ name, publicKey: public_key })),
    needed,
    maxAgeMs: maxAgeS * 1_000,
    maxSpreadBps: max_spread_bps,
  };
}

function parseFile(file: string): unknown {
  try {
    return JSON.parse(readFileSync(file, 'utf8'));
  } catch (error) {
    throw new ConfigError(`${file}: ${error instanceof Error ? error.message : String(error)}`);
  }
}
