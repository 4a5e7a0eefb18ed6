import { apiOperation, WRITE } from '../operation.js';
import {
  keyRawSignBody,
  keyRawSignResult,
  rawSignBody,
  rawSignResult,
  signBody,
  signResult,
} from '../signing-schema.js';
import {
  rawSignBatchBody,
  rawSignBatchResult,
  signBatchBody,
  signBatchResult,
  venueSignBatchBody,
  venueSignBatchResult,
} from '../signing-batch-schema.js';
import { venueSignBody, venueSignResult } from '../venue-schema.js';
import {
  ITEM_ID,
  KEY_ID,
  key,
  NOW,
  OTHER_ITEM_ID,
  receiptOf,
  REQUEST_ID,
  SIGNATURE,
  venueRequest,
  wallet,
  WALLET_KEY_ID,
} from '../example-values.js';
import {
  rawSignRequest,
  rawSignWithKeyRequest,
  signRequest,
  signWithKeyRequest,
} from '../requests/signing.js';

const tag = 'signing';

const signBatchRequest = {
  ...signRequest,
  id: 'sign-batch',
  path: '/v1/vaults/{vault_id}/wallets/{address}/sign-batch',
} as const;

const rawSignBatchRequest = {
  ...signRequest,
  id: 'raw-sign-batch',
  path: '/v1/vaults/{vault_id}/wallets/{address}/raw-sign-batch',
} as const;

const signBatchWithKeyRequest = {
  ...signRequest,
  id: 'sign-batch-with-key',
  path: '/v1/keys/{key_id}/sign-batch',
} as const;

const DECIDED =
  'The gateway and two parties each decide for themselves, by the first rule that fits in the signing policies of the security groups. The answer carries a receipt that both parties signed. Answers 202 when the signature is not there within the wait. A request that no party signed within its time-to-live expires. Where the rule asks for approvals the answer is 202 with `phase` `awaiting_approval`. The request then waits until they are given, rejected or expired. It is signed once or not at all. ';

const REFUSED =
  'Answers 403 when a rule denies it, no rule allows it, or the system, vault, wallet, venue or key is frozen. A caller whom no allowing rule names and who has no `view_system_resources` gets 403 in every case. ';

const MESSAGE = 'aGVsbG8sIHZhdWx0';

export const signOperation = apiOperation({
  ...WRITE,
  tag,
  ...signRequest,
  summary: 'Sign a transaction: decoded first, refused when it does not decode',
  description: `Signs one transaction with the key of a wallet, for a network of that wallet. ${DECIDED}${REFUSED}Others get 404 when the vault has no such wallet. They get 422 when the wallet does not have the network, or it is disabled. They get 422 when the transaction does not decode or the wallet is not one of its signers. Where this release does not decode transactions of a network, use raw-sign.`,
  body: signBody,
  response: signResult,
  example: {
    body: { network_id: 'solana-mainnet', transaction: 'AQAB' },
    response: {
      signature: SIGNATURE,
      signed_transaction: 'AQAB',
      receipt: receiptOf(WALLET_KEY_ID),
    },
  },
});

export const rawSignOperation = apiOperation({
  ...WRITE,
  tag,
  ...rawSignRequest,
  summary: 'Sign bytes as they are: denied unless a rule names raw_sign',
  description: `Signs 1 to 65536 bytes with the key of a wallet without reading them. ${DECIDED}${REFUSED}Only a rule that names the operation \`raw_sign\` can allow it. Others get 404 when the vault has no such wallet.`,
  body: rawSignBody,
  response: rawSignResult,
  example: {
    body: { message: MESSAGE },
    response: {
      signature: SIGNATURE,
      public_key: wallet.public_key.raw,
      receipt: receiptOf(WALLET_KEY_ID),
    },
  },
});

export const rawSignWithKeyOperation = apiOperation({
  ...WRITE,
  tag,
  ...rawSignWithKeyRequest,
  summary: 'Sign bytes as they are with a key: denied unless a rule names raw_sign',
  description: `Signs 1 to 65536 bytes with a key that stands by itself, without reading them. ${DECIDED}${REFUSED}Only a rule that names the operation \`raw_sign\` can allow it. Others get 403 when the key belongs to a wallet (sign through the wallet), is disabled or destroyed. They get 404 when there is no such key, and 422 when keys of this type do not sign with the scheme.`,
  body: keyRawSignBody,
  response: keyRawSignResult,
  example: {
    body: { message: MESSAGE, message_encoding: 'base64' },
    response: { signature: SIGNATURE, receipt: receiptOf(KEY_ID) },
  },
});

export const signWithKeyOperation = apiOperation({
  ...WRITE,
  tag,
  ...signWithKeyRequest,
  summary: 'Sign a venue request: classified first; the vault sets clock and nonce',
  description: `Reads a request to an exchange and classifies what it does there. Adds clock, nonce and headers, and answers with the complete signed request. Send it as it is. ${DECIDED}${REFUSED}Others get 403 when the key belongs to a wallet, is disabled or destroyed. They get 404 when there is no such key. They get 422 when the key is for no venue (use raw-sign) or has no \`venue_api_key\`. They get 422 when the request is malformed or ambiguous, or states something that the vault sets itself. What the table of the venue does not know is of class \`unknown\`, and denied unless a rule names that class.`,
  body: venueSignBody,
  response: venueSignResult,
  example: {
    body: { venue_request: venueRequest },
    response: {
      request: {
        method: 'POST',
        path: venueRequest.path,
        query: `${venueRequest.query}&timestamp=${Date.parse(NOW)}&recvWindow=5000&signature=${encodeURIComponent(SIGNATURE)}`,
        headers: { 'X-MBX-APIKEY': key.venue_api_key },
        body: '',
      },
      operation_class: 'trade',
      binds: ['query', 'body', 'time'],
      receipt: receiptOf(KEY_ID),
    },
  },
});

/** What holds for every batch, in its description. */
const EACH_ITEM =
  'One signed request, checked once, asks for up to 64 signatures. Each item is decided, counted against limits, recorded and receipted for itself, in order: an item counts for the limits of those after it. The answer is 200 with one result for each item, or 202 while some are still under way: `GET /v1/requests/{request_id}` then tells the rest. A denied item holds no other; with `all_or_none` one denial denies all. An item that a rule wants approved is denied with that reason: ask for it alone. It is refused as a whole when nothing of it could be allowed. That is a wallet or key that is not there or is frozen, a caller whom no rule allows, or a malformed body. An `Idempotency-Key` covers the batch. ';

const ALL_OR_NONE =
  '`all_or_none` is about denials: no party signs any item unless it would allow all of them at that time. It is not about failures: where a party dies, or a freeze comes, between two items, some may be signed and others not. Each result says which.';

const DENIED_ITEM = {
  index: 1,
  status: 'denied' as const,
  err_type: 'forbidden',
  err_msg: 'no rule of a signing policy matches',
};

export const signBatchOperation = apiOperation({
  ...WRITE,
  tag,
  ...signBatchRequest,
  summary: 'Sign up to 64 transactions with one wallet',
  description: `Signs transactions as \`sign\` does, several in one request. ${EACH_ITEM}${ALL_OR_NONE}`,
  body: signBatchBody,
  response: signBatchResult,
  example: {
    body: { network_id: 'solana-mainnet', transactions: ['AQAB', 'AQAC'] },
    response: {
      request_id: REQUEST_ID,
      results: [
        {
          item_id: ITEM_ID,
          index: 0,
          status: 'signed',
          ...signOperation.example.response,
        },
        { item_id: OTHER_ITEM_ID, ...DENIED_ITEM },
      ],
    },
  },
});

export const rawSignBatchOperation = apiOperation({
  ...WRITE,
  tag,
  ...rawSignBatchRequest,
  summary: 'Sign up to 64 messages as they are with one wallet',
  description: `Signs bytes as \`raw-sign\` does, several in one request. ${EACH_ITEM}${ALL_OR_NONE}`,
  body: rawSignBatchBody,
  response: rawSignBatchResult,
  example: {
    body: { messages: [MESSAGE, 'aGVsbG8sIGFnYWlu'] },
    response: {
      request_id: REQUEST_ID,
      results: [
        {
          item_id: ITEM_ID,
          index: 0,
          status: 'signed',
          ...rawSignOperation.example.response,
        },
        { item_id: OTHER_ITEM_ID, ...DENIED_ITEM },
      ],
    },
  },
});

export const signBatchWithKeyOperation = apiOperation({
  ...WRITE,
  tag,
  ...signBatchWithKeyRequest,
  summary: 'Sign up to 64 venue requests with one key: a ladder of orders',
  description: `Signs venue requests as \`sign-with-key\` does, several in one request. ${EACH_ITEM}${ALL_OR_NONE}`,
  body: venueSignBatchBody,
  response: venueSignBatchResult,
  example: {
    body: {
      venue_requests: [venueRequest, { ...venueRequest, query: 'symbol=BTCUSDC&side=BUY' }],
    },
    response: {
      request_id: REQUEST_ID,
      results: [
        {
          item_id: ITEM_ID,
          index: 0,
          status: 'signed',
          ...signWithKeyOperation.example.response,
        },
        { item_id: OTHER_ITEM_ID, ...DENIED_ITEM },
      ],
    },
  },
});

export const SIGNING_OPERATIONS = [
  signOperation,
  rawSignOperation,
  rawSignWithKeyOperation,
  signWithKeyOperation,
  signBatchOperation,
  rawSignBatchOperation,
  signBatchWithKeyOperation,
] as const;
