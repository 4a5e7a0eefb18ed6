import { z } from 'zod';
import { parseBase64 } from '@countersign/core/bytes.js';
import { PARTY_NUMBERS } from '@countersign/core/parties.js';
import { KEY_TYPES, SIGNATURE_SCHEMES } from '@countersign/core/signature-schemes.js';
import { pageOf, stampFields } from './common-schema.js';
import { commaSeparated, commaSeparatedIds, commaSeparatedWords } from './primitives.js';
import { dateTime, description, displayName, id, pageQuery } from './primitives.js';
import { attestation } from './vault-schema.js';

const venueId = z.string().regex(/^[a-z0-9_-]{1,64}$/, 'must be a venue id');

const venueApiKey = z.string().regex(/^[\x21-\x7e]{1,512}$/, 'must be printable ASCII');

const labels = z
  .record(z.string().regex(/^[a-z0-9_.-]{1,64}$/), z.string().max(256))
  .refine((map) => Object.keys(map).length <= 20, 'at most 20 labels');

const metadata = {
  display_name: displayName,
  description: description.optional(),
  venue_id: venueId.optional(),
  venue_api_key: venueApiKey.optional(),
  labels: labels.optional(),
};

const modulusBits = z.literal([2048, 3072, 4096]);

export const generateKeyBody = z
  .strictObject({
    type: z.enum(['ed25519', 'rsa']),
    modulus_bits: modulusBits
      .optional()
      .meta({ description: 'RSA alone; 2048 when it is not given.' }),
    ...metadata,
  })
  .refine((body) => body.type === 'rsa' || body.modulus_bits === undefined, {
    path: ['modulus_bits'],
    message: 'is for RSA keys alone',
  })
  .meta({ id: 'GenerateKeyRequest' });

const MAX_SEALED_LENGTH = 8_192;

const sealedPart = z.strictObject({
  party: z.literal(PARTY_NUMBERS),
  recipient_id: id,
  sealed: z
    .string()
    .max(MAX_SEALED_LENGTH)
    .refine((text) => (parseBase64(text)?.length ?? 0) > 32, 'must be standard base64')
    .meta({
      contentEncoding: 'base64',
      description: 'HPKE (RFC 9180) encapsulated key, 32 bytes, and ciphertext.',
    }),
});

export const importKeyBody = z
  .strictObject({
    type: z.enum(KEY_TYPES),
    scheme: z.enum(SIGNATURE_SCHEMES).optional(),
    encoding: z
      .enum(['utf8', 'hex', 'base64', 'pkcs8', 'seed', 'jwk', 'pkcs1', 'pkcs12'])
      .meta({ description: 'How the secret was written before it was split.' }),
    public_key: z.string().max(1_024).optional().meta({
      contentEncoding: 'base64',
      description: 'Ed25519: 32 bytes. RSA: SubjectPublicKeyInfo, DER. Absent for HMAC secrets.',
    }),
    shares: z
      .array(sealedPart)
      .length(3)
      .refine((parts) => new Set(parts.map(({ party }) => party)).size === 3, 'one of each party'),
    ...metadata,
  })
  .meta({ id: 'ImportKeyRequest' });

export const updateKeyBody = z
  .strictObject({
    display_name: displayName.optional(),
    description: description.optional(),
    venue_api_key: venueApiKey.nullable().optional(),
    version: z.number().int().min(1).optional(),
  })
  .refine(
    ({ version: _version, ...changes }) => Object.keys(changes).length > 0,
    'must change something',
  )
  .meta({ id: 'UpdateKeyRequest' });

export const importRecipients = z
  .strictObject({
    genesis_hash: z.string(),
    recipients: z.array(
      z.strictObject({
        party: z.int().min(1).max(3),
        recipient_id: id,
        public_key: z.string().meta({ description: 'X25519, 32 bytes, base64.' }),
        expires_at: dateTime,
        signature: z.string().meta({ description: "By the party's identity key; base64." }),
      }),
    ),
  })
  .meta({ id: 'ImportRecipients' });

export const key = z
  .strictObject({
    id,
    display_name: z.string(),
    description: z.string().nullable(),
    type: z.enum(KEY_TYPES),
    scheme: z.enum(SIGNATURE_SCHEMES),
    custody: z.enum(['mpc', 'mpc_imported', 'split']),
    modulus_bits: z.int().optional(),
    encoding: z.string().optional(),
    public_key: z
      .strictObject({
        spki_pem: z.string(),
        raw: z.string().meta({
          description: 'Base64. Ed25519: 32 bytes. RSA: RSAPublicKey (RFC 8017), DER.',
        }),
      })
      .optional(),
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
