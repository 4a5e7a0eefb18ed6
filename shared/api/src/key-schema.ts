import * as s from '@countersign/core/shapes.js';
import { KEY_TYPES, SIGNATURE_SCHEMES } from '@countersign/core/signature-schemes.js';
import { pageOf, publicKey, stampFields } from './common-schema.js';
import { frozenFields } from './freeze-schema.js';
import { commaSeparatedEnum, commaSeparatedIds, commaSeparatedWords } from './primitives.js';
import {
  dateTime,
  DESCRIPTION_TEXT,
  DISPLAY_NAME_TEXT,
  id,
  nameFilter,
  pageQuery,
} from './primitives.js';
import type { RequestTexts } from './request-texts.js';
import { attestation } from './vault-schema.js';

const KEY_METADATA = {
  display_name: DISPLAY_NAME_TEXT,
  description: DESCRIPTION_TEXT,
  venue_id:
    'The venue that the key is for: 1 to 64 of `a-z`, `0-9`, `_` and `-`. A key for one of `supported_venues` signs requests for it; one for any other venue, or for none when absent, signs raw messages alone. It stays as it is.',
  venue_api_key:
    "The key's identifier at the venue: 1 to 512 printable ASCII characters without blanks. Absent: none yet; venue requests need it.",
  labels:
    'Name to value, at most 20: names of 1 to 64 of `a-z`, `0-9`, `_`, `.` and `-`, values of at most 256 characters. Absent: none. They stay as they are. A key is in every security group that selects it by its labels.',
};

export const generateKeyTexts: RequestTexts = {
  name: 'GenerateKeyRequest',
  body: {
    type: 'What kind of key to make; HMAC secrets can only be imported.',
    modulus_bits: 'Bits of the RSA modulus, 2048 when absent; for RSA alone.',
    ...KEY_METADATA,
  },
};

export const bulkGenerateKeysTexts: RequestTexts = {
  name: 'BulkGenerateKeysRequest',
  body: {
    keys: [
      'The keys to make, 1 to 100.',
      {
        type: 'What kind of key to make; an RSA key takes so long that it is made alone.',
        ...KEY_METADATA,
      },
    ],
  },
};

export const importKeyTexts: RequestTexts = {
  name: 'ImportKeyRequest',
  body: {
    type: 'Type of the secret.',
    scheme:
      "One of the type's, which the key signs with when a request names none. Absent: what the venue wants; without a supported venue `ed25519`, `rsa_pkcs1_sha256` or `hmac_sha256`.",
    encoding:
      'How the secret was written before it was split. For a supported venue an HMAC secret must come as the venue gives it.',
    public_key: {
      contentEncoding: 'base64',
      description:
        'Ed25519: 32 bytes. RSA: SubjectPublicKeyInfo (RFC 5280), DER. Standard base64; required for these, absent for HMAC secrets.',
    },
    shares: [
      'The parts of the secret, each sealed to its party: exactly one for each.',
      {
        party: 'Number of the party that the part is for, 1 to 3.',
        recipient_id:
          "Id of that party's import key, as `GET /v1/keys/import-recipients` gave it; 422 once it is expired.",
        sealed: {
          contentEncoding: 'base64',
          description:
            'HPKE (RFC 9180) encapsulated key, 32 bytes, and ciphertext; standard base64, at most 8192 characters.',
        },
      },
    ],
    ...KEY_METADATA,
  },
};

export const updateKeyTexts: RequestTexts = {
  name: 'UpdateKeyRequest',
  body: {
    display_name: 'New name: 1 to 128 characters. Absent: unchanged.',
    description: 'New description, at most 1024 characters; null: none. Absent: unchanged.',
    venue_api_key:
      'New identifier at the venue: 1 to 512 printable ASCII characters without blanks; null: none. Absent: unchanged.',
    version: 'The version that was read: 409 when the key has changed since. Absent: any.',
  },
};

export const freezeKeysTexts: RequestTexts = {
  query: {
    venue_id:
      'Id of a venue: every key for it, also one that is made later. Either this or `key_ids`.',
    key_ids:
      'Comma-separated ids of keys, 1 to 100; 404 when one of them is unknown. Either this or `venue_id`.',
  },
};

export const importRecipients = s
  .strictObject({
    genesis_hash: s
      .string()
      .describe(
        'SHA-256 of the first ledger entry, hex; a client compares it with the genesis that it pinned.',
      ),
    recipients: s
      .array(
        s.strictObject({
          party: s.int().min(1).max(3).describe('Number of the party, 1 to 3.'),
          recipient_id: id.describe('Id of the import key, which the sealed part names.'),
          public_key: s
            .string()
            .meta({ description: 'HPKE public key (RFC 9180): X25519, 32 bytes, base64.' }),
          expires_at: dateTime.describe(
            'Until when an import may name it; RFC 3339, UTC, milliseconds.',
          ),
          signature: s.string().meta({
            description:
              "Ed25519 signature by the party's identity key over genesis hash and import key, 64 bytes, base64.",
          }),
        }),
      )
      .describe('The newest import key of each party, in the order of the parties.'),
  })
  .meta({ id: 'ImportRecipients' });

export const key = s
  .strictObject({
    id: id.describe('Id of the key, as security groups name it.'),
    display_name: s.string().describe('Name for people; not unique.'),
    description: s.string().nullable().describe('Text for people; null for none.'),
    type: s.words(KEY_TYPES).describe('Type of the key.'),
    scheme: s
      .words(SIGNATURE_SCHEMES)
      .describe('What it signs with when a request names no scheme.'),
    custody: s
      .words(['mpc', 'mpc_imported', 'split'])
      .describe(
        '`mpc`: made by the three parties together, never whole anywhere. `mpc_imported`: imported, split into the same form. `split`: an imported HMAC secret, joined for the moment of each signature.',
      ),
    modulus_bits: s.int().optional().describe('Bits of the RSA modulus; absent for other types.'),
    encoding: s
      .string()
      .optional()
      .describe(
        'How an imported secret was written before it was split; absent for keys that the parties made.',
      ),
    public_key: publicKey
      .optional()
      .describe('The public key in two forms; absent for HMAC secrets.'),
    venue_id: s.string().optional().describe('The venue that the key is for; absent: none.'),
    venue_api_key: s
      .string()
      .optional()
      .describe("The key's identifier at the venue; absent: none."),
    labels: s.record(s.string(), s.string()).describe('Name to value; empty for none.'),
    ...frozenFields(
      s
        .words(['active', 'frozen', 'disabled', 'destroyed'])
        .describe(
          '`frozen`: see `frozen_by`. `disabled`: its wallet was removed. `destroyed`: for good, the row alone is left.',
        ),
    ),
    version: s
      .int()
      .describe(
        'Begins at 1 and rises by 1 with every update, with a freeze of its own and its end, and with destruction.',
      ),
    wallet_id: id
      .optional()
      .describe(
        'Id of the wallet that it belongs to, or did until that was removed; absent: none.',
      ),
    attestations: s
      .array(attestation)
      .describe("Each party's attestation of the key, in the order of the parties."),
    ...stampFields,
  })
  .meta({ id: 'Key' });

export const keyPage = pageOf('KeyPage', key);

export const bulkKeys = s
  .strictObject({ results: s.array(key).describe('One for each, in the order of the request.') })
  .meta({ id: 'BulkKeys' });

export const listKeysQuery = s.strictObject({
  ...pageQuery,
  venue_ids: commaSeparatedWords
    .optional()
    .describe('Comma-separated ids of venues: keys for one of them. Absent: all.'),
  types: commaSeparatedEnum(KEY_TYPES)
    .optional()
    .describe('Comma-separated, of `ed25519`, `rsa` and `hmac`: keys of these types. Absent: all.'),
  display_name_like: nameFilter,
  key_ids: commaSeparatedIds
    .optional()
    .describe('Comma-separated ids: these keys alone. Absent: all.'),
  security_group_id: id
    .optional()
    .describe(
      'Id of a security group: keys that it names or selects by their labels. Absent: all.',
    ),
});
