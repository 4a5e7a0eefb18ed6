/** Vaults and the wallets in them. */
import * as s from '@countersign/core/shapes.js';
import { apiRequest } from './api-request.js';
import { labels, MAX_BULK } from './labels.js';
import {
  changesSomething,
  commaSeparatedAddresses,
  commaSeparatedIds,
  description,
  displayName,
} from './primitives.js';

export const createVaultRequest = apiRequest('create-vault', 'POST /v1/vaults', 'create_vaults', {
  body: s.strictObject({ display_name: displayName, description: description.optional() }),
});

export const updateVaultRequest = apiRequest(
  'update-vault',
  'PUT /v1/vaults/{vault_id}',
  'manage_vaults',
  {
    body: s
      .strictObject({
        display_name: displayName.optional(),
        description: description.optional(),
      })
      .refine(...changesSomething),
  },
);

export const vaultIdsQuery = s.strictObject({ vault_ids: commaSeparatedIds });

const walletNetworks = s
  .array(s.string().regex(/^[a-z0-9-]{1,64}$/, 'must be network ids'))
  .min(1)
  .max(32)
  .refine((ids) => new Set(ids).size === ids.length, 'must not repeat a network');

const newWallet = s.strictObject({
  network_family: s.string().max(64),
  display_name: displayName.optional(),
  networks: walletNetworks.optional(),
  labels: labels.optional(),
});

export const createWalletRequest = apiRequest(
  'create-wallet',
  'POST /v1/vaults/{vault_id}/wallets',
  'manage_wallets',
  { body: newWallet },
);

export const bulkCreateWalletsRequest = apiRequest(
  'bulk-create-wallets',
  'POST /v1/vaults/{vault_id}/wallets/bulk',
  'manage_wallets',
  { body: s.strictObject({ wallets: s.array(newWallet).min(1).max(MAX_BULK) }) },
);

export const updateWalletRequest = apiRequest(
  'update-wallet',
  'PUT /v1/vaults/{vault_id}/wallets/{address}',
  'manage_wallets',
  {
    body: s
      .strictObject({
        display_name: displayName.optional(),
        networks: walletNetworks.optional(),
      })
      .refine(...changesSomething),
  },
);

export const addressesQuery = s.strictObject({ addresses: commaSeparatedAddresses });

export const deleteWalletsRequest = apiRequest(
  'delete-wallets',
  'DELETE /v1/vaults/{vault_id}/wallets',
  'manage_wallets',
  { query: addressesQuery },
);
