/** Wallets under the first rules: they name no network, and have those of their family that are enabled. */
import { z } from 'zod';
import { displayName } from '@countersign/api/primitives.js';
import { createWalletOperation } from '@countersign/api/operations/wallets.js';
import { ledgerOperation, type LedgerOperation } from '../ledger-operation.js';
import { applyNewWallet } from '../new-wallet.js';
import { createWallet, updateWallet } from '../wallets.js';

const createBody = z.strictObject({
  network_family: z.string().max(64),
  display_name: displayName.optional(),
});

const { check: _creating, ...firstCreateWallet } = {
  ...createWallet,
  ...ledgerOperation({
    ...createWalletOperation,
    body: createBody,
    apply: (state, { params, body }, context) =>
      applyNewWallet(state, params['vault_id'], { ...body, networks: null }, context),
    answer: (...args) => createWallet.answer(...args),
  }),
};

const { check: _updating, ...firstUpdateWallet } = {
  ...updateWallet,
  body: z.strictObject({ display_name: displayName }),
};

export const FIRST_WALLET_OPERATIONS: readonly LedgerOperation[] = [
  firstCreateWallet,
  firstUpdateWallet,
];
