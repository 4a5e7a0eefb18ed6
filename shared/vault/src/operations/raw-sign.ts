import { rawSignOperation, rawSignWithKeyOperation } from '@countersign/api/operations/signing.js';
import { asBuffer } from '@countersign/core/bytes.js';
import { refuse } from '@countersign/core/errors.js';
import { schemesOf } from '@countersign/core/signature-schemes.js';
import { schemeOfKey } from '../catalogues/open-values.js';
import { CATALOGUES } from '../catalogues/todays-catalogues.js';
import { refuseKeyTarget } from './key-target.js';
import { findKeyTarget, findWalletTarget } from './signing-targets.js';
import { signingOperation } from './signing-operation.js';

/**
 * Signs bytes that the vault does not read, with a wallet's key. A rule must name `raw_sign`: silence
 * never covers it.
 */
export const rawSignWithWallet = signingOperation({
  ...rawSignOperation,
  name: 'raw_sign',
  findTarget: findWalletTarget,
  prepare: (_state, _target, { body }) => ({
    scheme: body.scheme ?? 'ed25519',
    messageAt: () => body.message,
  }),
  recompose: (_target, { body }) => ({ scheme: body.scheme ?? 'ed25519', message: body.message }),
  answer: ({ key }, { body }, { signature }, receipt) => ({
    signature: asBuffer(signature).toString(body.output_encoding ?? 'base64'),
    public_key: key.publicKey,
    receipt,
  }),
});

/**
 * As {@link rawSignWithWallet}, with a key that belongs to no wallet. 422 for a scheme that the key's type does not
 * have.
 */
export const rawSignWithKey = signingOperation({
  ...rawSignWithKeyOperation,
  name: 'raw_sign',
  findTarget: findKeyTarget,
  refuseTarget: refuseKeyTarget,
  prepare(_state, { key }, { body }) {
    const scheme = body.scheme ?? schemeOfKey(key, CATALOGUES);
    if (!schemesOf(key.type).includes(scheme)) {
      const schemes = schemesOf(key.type).join(', ');
      return refuse('invalid_inputs', `scheme: this key signs with ${schemes}`);
    }
    return { scheme, messageAt: () => body.message };
  },
  recompose: ({ key }, { body }) => ({
    scheme: body.scheme ?? schemeOfKey(key, CATALOGUES),
    message: body.message,
  }),
  answer: (_target, { body }, { signature }, receipt) => ({
    signature: asBuffer(signature).toString(body.output_encoding ?? 'base64'),
    receipt,
  }),
});
