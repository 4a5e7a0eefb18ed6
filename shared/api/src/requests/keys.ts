import * as s from '@countersign/core/shapes.js';
import { parseBase64 } from '@countersign/core/bytes.js';
import { PARTY_NUMBERS } from '@countersign/core/parties.js';
import { KEY_TYPES, SIGNATURE_SCHEMES } from '@countersign/core/signature-schemes.js';
import { apiRequest } from './api-request.js';
import { labels, MAX_BULK } from './labels.js';
import { commaSeparatedIds, description, displayName, id } from './primitives.js';

export const VENUE_ID = /^[a-z0-9_-]{1,64}$/;
const venueId = s.string().regex(VENUE_ID, 'must be a venue id');

const venueApiKey = s.string().regex(/^[\x21-\x7e]{1,512}$/, 'must be printable ASCII');

const keyMetadata = {
  display_name: displayName,
  description: description.optional(),
  venue_id: venueId.optional(),
  venue_api_key: venueApiKey.optional(),
  labels: labels.optional(),
};

export const generateKeyRequest = apiRequest('generate-key', 'POST /v1/keys', 'generate_keys', {
  body: s
    .strictObject({
      type: s.words(['ed25519', 'rsa']),
      modulus_bits: s.literal([2048, 3072, 4096]).optional(),
      ...keyMetadata,
    })
    .refine((body) => body.type === 'rsa' || body.modulus_bits === undefined, {
      path: ['modulus_bits'],
      message: 'is for RSA keys alone',
    }),
});

export const bulkGenerateKeysRequest = apiRequest(
  'bulk-generate-keys',
  'POST /v1/keys/bulk',
  'generate_keys',
  {
    body: s.strictObject({
      keys: s
        .array(s.strictObject({ type: s.literal('ed25519'), ...keyMetadata }))
        .min(1)
        .max(MAX_BULK),
    }),
  },
);

const MAX_SEALED_LENGTH = 8_192;

const sealedPart = s.strictObject({
  party: s.literal(PARTY_NUMBERS),
  recipient_id: id,
  sealed: s
    .string()
    .max(MAX_SEALED_LENGTH)
    .refine((text) => (parseBase64(text)?.length ?? 0) > 32, 'must be standard base64'),
});

export const importKeyRequest = apiRequest('import-key', 'POST /v1/keys/import', 'import_keys', {
  body: s.strictObject({
    type: s.words(KEY_TYPES),
    scheme: s.words(SIGNATURE_SCHEMES).optional(),
    encoding: s.words(['utf8', 'hex', 'base64', 'pkcs8', 'seed', 'jwk', 'pkcs1', 'pkcs12']),
    public_key: s.string().max(1_024).optional(),
    shares: s
      .array(sealedPart)
      .length(3)
      .refine((parts) => new Set(parts.map(({ party }) => party)).size === 3, 'one of each party'),
    ...keyMetadata,
  }),
});

export const updateKeyRequest = apiRequest('update-key', 'PUT /v1/keys/{key_id}', 'manage_keys', {
  body: s
    .strictObject({
      display_name: displayName.optional(),
      description: description.optional(),
      venue_api_key: venueApiKey.nullable().optional(),
      version: s.int().min(1).optional(),
    })
    .refine(
      ({ version: _version, ...changes }) => Object.keys(changes).length > 0,
      'must change something',
    ),
});

export const destroyKeyRequest = apiRequest(
  'destroy-key',
  'POST /v1/keys/{key_id}/destroy',
  'manage_keys',
);

/** One of the two names the things to freeze. */
export const freezeKeysQuery = s
  .strictObject({ venue_id: venueId.optional(), key_ids: commaSeparatedIds.optional() })
  .refine(
    (query) => (query.venue_id === undefined) !== (query.key_ids === undefined),
    'name either venue_id or key_ids',
  );
