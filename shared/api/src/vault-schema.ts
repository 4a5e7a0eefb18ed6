import { z } from 'zod';
import { pageOf, stampFields } from './common-schema.js';
import { commaSeparatedAddresses, commaSeparatedIds } from './primitives.js';
import { description, displayName, id, pageQuery } from './primitives.js';

export const vaultBody = z
  .strictObject({ display_name: displayName, description: description.optional() })
  .meta({ id: 'VaultRequest' });

export const updateVaultBody = z
  .strictObject({ display_name: displayName.optional(), description: description.optional() })
  .refine((body) => Object.keys(body).length > 0, 'must change something')
  .meta({ id: 'UpdateVaultRequest' });

export const vault = z
  .strictObject({
    id,
    display_name: z.string(),
    description: z.string().nullable(),
    status: z.enum(['active', 'frozen']),
    wallet_count: z.int(),
    ...stampFields,
  })
  .meta({ id: 'Vault' });

export const vaultPage = pageOf('VaultPage', vault);

export const listVaultsQuery = z.strictObject({
  ...pageQuery,
  vault_ids: commaSeparatedIds.optional(),
  display_name_like: z.string().max(128).optional(),
});

export const vaultIdsQuery = z.strictObject({ vault_ids: commaSeparatedIds });

export const createWalletBody = z
  .strictObject({ network_family: z.string().max(64), display_name: displayName.optional() })
  .meta({ id: 'WalletRequest' });

export const updateWalletBody = z
  .strictObject({ display_name: displayName })
  .meta({ id: 'UpdateWalletRequest' });

export const attestation = z.strictObject({
  party: z.int().min(1).max(3),
  signature: z.string(),
  ceremony_hash: z.string(),
});

export const wallet = z
  .strictObject({
    id,
    vault_id: id,
    address: z.string(),
    network_family: z.string(),
    networks: z.array(z.string()),
    public_key: z.string().meta({ description: 'Ed25519 public key, 32 bytes, base64.' }),
    key_id: id,
    display_name: z.string(),
    status: z.enum(['active', 'frozen']),
    attestations: z.array(attestation),
    ...stampFields,
  })
  .meta({ id: 'Wallet' });

export const walletPage = pageOf('WalletPage', wallet);

export const listWalletsQuery = z.strictObject({
  ...pageQuery,
  addresses: commaSeparatedAddresses.optional(),
  network_family: z.string().max(64).optional(),
});

export const addressesQuery = z.strictObject({ addresses: commaSeparatedAddresses });
