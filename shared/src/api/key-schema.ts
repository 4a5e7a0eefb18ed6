import { createPublicKey } from 'node:crypto';
import { z } from 'zod';
import type { Key } from '../ledger/state.js';
import { pageOf, stampFields, stampsView } from './common-schema.js';
import { commaSeparated, commaSeparatedIds, commaSeparatedWords } from './primitives.js';
import { displayName, id, pageQuery } from './primitives.js';
import { attestation, attestationViews } from './vault-schema.js';

const venueId = z.string().regex(/^[a-z0-9_-]{1,64}$/, 'must be a venue id');

const labels = z
  .record(z.string().regex(/^[a-z0-9_.-]{1,64}$/), z.string().max(256))
  .refine((map) => Object.keys(map).length <= 20, 'at most 20 labels');

export const generateKeyBody = z
  .strictObject({
    type: z.literal('ed25519'),
    display_name: displayName,
    venue_id: venueId.optional(),
    venue_api_key: z
      .string()
      .regex(/^[\x21-\x7e]{1,512}$/, 'must be printable ASCII')
      .optional(),
    labels: labels.optional(),
  })
  .meta({ id: 'GenerateKeyRequest' });

export const key = z
  .strictObject({
    id,
    display_name: z.string(),
    description: z.string().nullable(),
    type: z.enum(['ed25519', 'rsa', 'hmac']),
    scheme: z.string(),
    custody: z.enum(['mpc', 'mpc_imported', 'split']),
    public_key: z.strictObject({ spki_pem: z.string(), raw: z.string() }).optional(),
    venue_id: z.string().optional(),
    venue_api_key: z.string().optional(),
    labels: z.record(z.string(), z.string()),
    status: z.enum(['active', 'frozen', 'disabled', 'destroyed']),
    version: z.int(),
    wallet_id: id.optional(),
    attestations: z.array(attestation),
    ...stampFields,
  })
  .meta({ id: 'Key' });

export const keyPage = pageOf('KeyPage', key);

export const listKeysQuery = z.strictObject({
  ...pageQuery,
  venue_ids: commaSeparatedWords.optional(),
  types: commaSeparated(/^(ed25519|rsa|hmac)$/).optional(),
  display_name_like: z.string().max(128).optional(),
  key_ids: commaSeparatedIds.optional(),
});

/** One of the two names what is frozen. */
export const freezeKeysQuery = z
  .strictObject({ venue_id: venueId.optional(), key_ids: commaSeparatedIds.optional() })
  .refine(
    (query) => (query.venue_id === undefined) !== (query.key_ids === undefined),
    'name either venue_id or key_ids',
  );

export function keyView(row: Key): z.input<typeof key> {
  return {
    id: row.id,
    display_name: row.displayName,
    description: row.description,
    type: row.type,
    scheme: 'ed25519',
    custody: row.custody,
    public_key: { spki_pem: spkiPem(row.publicKey), raw: row.publicKey },
    ...(row.venueId !== null && { venue_id: row.venueId }),
    ...(row.venueApiKey !== null && { venue_api_key: row.venueApiKey }),
    labels: { ...row.labels },
    status: keyStatus(row),
    version: row.version,
    ...(row.walletId !== null && { wallet_id: row.walletId }),
    attestations: attestationViews(row.attestations),
    ...stampsView(row),
  };
}

function keyStatus(row: Key): 'active' | 'frozen' | 'disabled' {
  if (row.status === 'disabled') return 'disabled';
  return row.frozen === null ? 'active' : 'frozen';
}

function spkiPem(publicKeyBase64: string): string {
  const x = Buffer.from(publicKeyBase64, 'base64').toString('base64url');
  const keyObject = createPublicKey({ key: { kty: 'OKP', crv: 'Ed25519', x }, format: 'jwk' });
  return keyObject.export({ format: 'pem', type: 'spki' }).toString();
}
