import {
  bulkGenerateKeysTexts,
  bulkKeys,
  generateKeyTexts,
  importKeyTexts,
  importRecipients,
  key,
  keyPage,
  listKeysQuery,
  updateKeyTexts,
} from '../key-schema.js';
import { apiOperation, READ, WRITE } from '../operation.js';
import {
  GENESIS_HASH,
  key as keyExample,
  RECIPIENT_PUBLIC_KEY,
  recipientId,
  sealedShares,
  SIGNATURE,
} from '../example-values.js';
import {
  bulkGenerateKeysRequest,
  destroyKeyRequest,
  generateKeyRequest,
  importKeyRequest,
  updateKeyRequest,
} from '../requests/keys.js';

const tag = 'keys';

export const generateKeyOperation = apiOperation({
  ...WRITE,
  tag,
  ...generateKeyRequest,
  texts: generateKeyTexts,
  summary: 'Generate a key: the three parties make it together',
  description:
    'Makes an Ed25519 or RSA key that no party ever holds whole. Any two parties sign with it. The key becomes active once all three attest the same public key. ' +
    'Ed25519 keys are usually there within the wait. For an RSA key the answer is 202, and `GET /v1/requests/{request_id}` tells its progress. ' +
    'Answers 403 when its labels put it into a security group whose rules let the caller sign, unless the caller may manage that group. Answers 422 when `modulus_bits` is given for Ed25519. Answers 422 when the venue takes no keys of this type, or its signatures cannot bind a condition of a group that selects the key. Answers 422 when `venue_api_key` is no identifier that the venue gives.',
  response: key,
  example: {
    body: {
      type: 'ed25519',
      display_name: 'Desk one at Binance',
      venue_id: 'binance',
      venue_api_key: keyExample.venue_api_key,
      labels: { desk: 'one' },
    },
    response: keyExample,
  },
});

export const bulkGenerateKeysOperation = apiOperation({
  ...WRITE,
  tag,
  ...bulkGenerateKeysRequest,
  texts: bulkGenerateKeysTexts,
  summary: 'Generate up to 100 Ed25519 keys with one request',
  description:
    'Makes Ed25519 keys as `POST /v1/keys` does, all of them or none, in one entry of the ledger. Their ids are derived from the entry and their place in the request. ' +
    'Answers 202 when they are not all ready within the wait. Answers 403 when the labels of one put it into a security group whose rules let the caller sign, unless the caller may manage that group. Answers 422 where `POST /v1/keys` would, and names the key by its index.',
  response: bulkKeys,
  example: {
    body: {
      keys: [
        {
          type: 'ed25519',
          display_name: 'Desk one at Binance',
          venue_id: 'binance',
          venue_api_key: keyExample.venue_api_key,
          labels: { desk: 'one' },
        },
      ],
    },
    response: { results: [keyExample] },
  },
});

export const importKeyOperation = apiOperation({
  ...WRITE,
  tag,
  ...importKeyRequest,
  texts: importKeyTexts,
  summary: 'Import a secret that the client split: each part is sealed to one party',
  description:
    'Brings an existing secret into the vault without the service ever seeing it. The client splits it and seals each part to the key of one party (HPKE, RFC 9180; `GET /v1/keys/import-recipients` has the keys). It sends the three sealed parts. The parties check that their parts fit together and to the public key. Unless it is an HMAC secret, they also sign once as a test before the key becomes active. ' +
    'Answers 202 when that takes longer than the wait. Answers 403 when its labels put it into a security group whose rules let the caller sign, unless the caller may manage that group. Answers 409 when the public key is, or ever was, that of another key of this vault, or a part was imported before. Answers 422 when a recipient is unknown or expired, or the parts do not fit. Answers 422 when the public key is missing, malformed or given for an HMAC secret. Answers 422 when the scheme or venue does not fit the type, or the venue gives its secrets in another encoding.',
  response: key,
  example: {
    body: {
      type: 'hmac',
      encoding: 'utf8',
      display_name: 'Desk two at Binance',
      venue_id: 'binance',
      venue_api_key: keyExample.venue_api_key,
      shares: sealedShares,
    },
    response: {
      id: keyExample.id,
      display_name: 'Desk two at Binance',
      description: null,
      type: 'hmac',
      scheme: 'hmac_sha256',
      custody: 'split',
      encoding: 'utf8',
      venue_id: 'binance',
      venue_api_key: keyExample.venue_api_key,
      labels: {},
      status: 'active',
      frozen_by: [],
      version: 1,
      attestations: keyExample.attestations,
      created_at: keyExample.created_at,
      created_by: keyExample.created_by,
      last_updated_at: keyExample.last_updated_at,
      last_updated_by: keyExample.last_updated_by,
    },
  },
});

export const updateKeyOperation = apiOperation({
  ...WRITE,
  tag,
  ...updateKeyRequest,
  texts: updateKeyTexts,
  summary: 'Update what a key is called, and its identifier at the venue',
  description:
    'Changes the fields that are given. Venue, labels and everything that a policy may rest on never change. With `version` the change holds only if the key is still at that version. ' +
    'Answers 404 when there is no such key. Answers 409 when it is destroyed or at another version. Answers 422 when `venue_api_key` is no identifier that the venue gives.',
  response: key,
  example: {
    body: { display_name: 'Desk one at Binance', version: 1 },
    response: { ...keyExample, version: 2 },
  },
});

export const destroyKeyOperation = apiOperation({
  ...WRITE,
  tag,
  ...destroyKeyRequest,
  summary: 'Destroy a key for good: every party deletes its share',
  description:
    'The key leaves its security groups and never signs again. Each party deletes its share, and its record stays. There is no way back. Destroying a destroyed key changes nothing. ' +
    'Answers 404 when there is no such key. Answers 409 while it belongs to a wallet.',
  response: key,
  example: { response: { ...keyExample, status: 'destroyed', version: 2 } },
});

export const listKeysOperation = apiOperation({
  ...READ,
  tag,
  id: 'list-keys',
  path: '/v1/keys',
  summary: 'List keys',
  description:
    'Keys in the order of their creation, oldest first, page by page, the keys of wallets and destroyed ones included. Only what matches every given filter is listed; a key that is still being made, or that failed, is not listed.',
  query: listKeysQuery,
  response: keyPage,
  example: {
    query: { venue_ids: 'binance', types: 'ed25519,hmac' },
    response: { results: [keyExample], next_cursor: null },
  },
});

export const getKeyOperation = apiOperation({
  ...READ,
  tag,
  id: 'get-key',
  path: '/v1/keys/{key_id}',
  summary: 'Get a key',
  description:
    'One key, without any secret. Answers 404 when there is no such key, or when it is still being made or failed.',
  response: key,
  example: { response: keyExample },
});

export const getImportRecipientsOperation = apiOperation({
  ...READ,
  tag,
  id: 'get-import-recipients',
  path: '/v1/keys/import-recipients',
  summary: 'Get the public keys to which the parts of an imported secret are sealed',
  description:
    "The newest import key of each party. Before you seal anything, check each signature with the party's identity key from a genesis that you pinned. Never take that key from this service. Fetch import keys anew when one has expired. Every known caller may ask.",
  action: 'self',
  response: importRecipients,
  example: {
    response: {
      genesis_hash: GENESIS_HASH,
      recipients: [1, 2, 3].map((party) => ({
        party,
        recipient_id: recipientId(party),
        public_key: RECIPIENT_PUBLIC_KEY,
        expires_at: '2026-11-09T09:30:00.000Z',
        signature: SIGNATURE,
      })),
    },
  },
});

export const KEY_OPERATIONS = [
  generateKeyOperation,
  bulkGenerateKeysOperation,
  importKeyOperation,
  updateKeyOperation,
  destroyKeyOperation,
  listKeysOperation,
  getImportRecipientsOperation,
  getKeyOperation,
] as const;
