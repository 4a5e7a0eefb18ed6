import {
  keyRawSignBody,
  keyRawSignResult,
  rawSignBody,
  rawSignResult,
} from '@countersign/api/signing-schema.js';
import { asBuffer } from '@countersign/core/bytes.js';
import { refuse } from '@countersign/core/errors.js';
import { schemesOf } from '@countersign/core/signature-schemes.js';
import { nothing } from './lookups.js';
import { findKeyTarget, findWalletTarget } from './signing-targets.js';
import { signingOperation } from './signing-operation.js';

export const rawSignWithWallet = signingOperation({
  id: 'raw-sign',
  method: 'POST',
  path: '/v1/vaults/{vault_id}/wallets/{address}/raw-sign',
  summary: 'Sign bytes as they are: denied unless a rule names raw_sign',
  name: 'raw_sign',
  query: nothing,
  body: rawSignBody,
  response: rawSignResult,
  findTarget: findWalletTarget,
  prepare: (_state, _target, { body }) => ({
    scheme: body.scheme ?? 'ed25519',
    messageAt: () => body.message,
  }),
  answer: ({ key }, _input, { signature }, receipt) => ({
    signature: asBuffer(signature).toString('base64'),
    public_key: key.publicKey,
    receipt,
  }),
});

export const rawSignWithKey = signingOperation({
  id: 'raw-sign-with-key',
  method: 'POST',
  path: '/v1/keys/{key_id}/raw-sign',
  summary: 'Sign bytes as they are with a key: denied unless a rule names raw_sign',
  name: 'raw_sign',
  query: nothing,
  body: keyRawSignBody,
  response: keyRawSignResult,
  findTarget: findKeyTarget,
  prepare(_state, { key }, { body }) {
    const scheme = body.scheme ?? key.scheme;
    if (!schemesOf(key.type).includes(scheme)) {
      const schemes = schemesOf(key.type).join(', ');
      return refuse('invalid_inputs', `scheme: this key signs with ${schemes}`);
    }
    return { scheme, messageAt: () => body.message };
  },
  answer: (_target, { body }, { signature }, receipt) => ({
    signature: asBuffer(signature).toString(body.output_encoding ?? 'base64'),
    receipt,
  }),
});
