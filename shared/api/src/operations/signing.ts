import { apiOperation, WRITE } from '../operation.js';
import {
  keyRawSignBody,
  keyRawSignResult,
  rawSignBody,
  rawSignResult,
  signBody,
  signResult,
} from '../signing-schema.js';
import { venueSignBody, venueSignResult } from '../venue-schema.js';
import {
  KEY_ID,
  key,
  NOW,
  receiptOf,
  SIGNATURE,
  venueRequest,
  wallet,
  WALLET_KEY_ID,
} from './example-values.js';
import { address, keyId, vaultId } from './path-parameters.js';
import {
  rawSignRequest,
  rawSignWithKeyRequest,
  signRequest,
  signWithKeyRequest,
} from '../requests/signing.js';

const tag = 'signing';

const DECIDED =
  'The gateway and two parties each decide for themselves: the first rule that fits in the signing policies of the security groups decides, and the answer carries a receipt that both parties signed. Answers 202 when the signature is not there within the wait; a request that no party signed within its time-to-live expires. Where the rule asks for approvals the answer is 202 with `phase` `awaiting_approval`: the request waits until they are given, rejected or expired, and is then signed once or not at all. ';

const REFUSED =
  'Refused with 403 when a rule denies it, no rule allows it, or the system, vault, wallet, venue or key is frozen; a caller whom no allowing rule names and who has no `view_system_resources` gets that one answer whatever is there; ';

const MESSAGE = 'aGVsbG8sIHZhdWx0';

export const signOperation = apiOperation({
  ...WRITE,
  tag,
  ...signRequest,
  summary: 'Sign a transaction: decoded first, refused when it does not decode',
  description: `Signs one transaction with the key of a wallet, for a network of that wallet. ${DECIDED}${REFUSED}others with 404 when the vault has no such wallet; with 422 when the network is not one that the wallet has or is disabled, the transaction does not decode or is of a network that this release cannot decode (use raw-sign), or the wallet is not one of its signers.`,
  params: { vault_id: vaultId, address },
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
  description: `Signs 1 to 65536 bytes with the key of a wallet without reading them. ${DECIDED}${REFUSED}only a rule that names the operation \`raw_sign\` can allow it. Others are refused with 404 when the vault has no such wallet.`,
  params: { vault_id: vaultId, address },
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
  description: `Signs 1 to 65536 bytes with a key that stands by itself, without reading them. ${DECIDED}${REFUSED}only a rule that names the operation \`raw_sign\` can allow it. Others are refused with 403 when the key belongs to a wallet (sign through the wallet) or is disabled or destroyed, with 404 when there is no such key, and with 422 when keys of this type do not sign with the scheme.`,
  params: { key_id: keyId },
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
  description: `Reads a request to an exchange, finds out what it does there, adds clock, nonce and headers, and answers with the complete signed request, ready to be sent as it stands. ${DECIDED}${REFUSED}others also with 403 when the key belongs to a wallet or is disabled or destroyed; with 404 when there is no such key; with 422 when the key is for no venue (use raw-sign) or has no \`venue_api_key\`, or when the request is malformed, ambiguous or states something that the vault sets itself. What the table of the venue does not know is of class \`unknown\`, and denied unless a rule names that class.`,
  params: { key_id: keyId },
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

export const SIGNING_OPERATIONS = [
  signOperation,
  rawSignOperation,
  rawSignWithKeyOperation,
  signWithKeyOperation,
] as const;
