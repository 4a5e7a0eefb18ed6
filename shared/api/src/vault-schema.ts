import { z } from 'zod';
import { pageOf, publicKey, stampFields } from './common-schema.js';
import { frozenFields } from './freeze-schema.js';
import { commaSeparatedAddresses, commaSeparatedIds } from './primitives.js';
import { description, displayName, id, pageQuery, queryEnum } from './primitives.js';
import { NETWORK_FAMILIES } from '@countersign/core/vocabulary.js';

export const vaultBody = z
  .strictObject({
    display_name: displayName.describe(
      'Name for people, unique among vaults without regard to case: 1 to 128 characters, without control characters and without white space at either end.',
    ),
    description: description
      .optional()
      .describe('Text for people, at most 1024 characters; null or absent: none.'),
  })
  .meta({ id: 'VaultRequest' });

export const updateVaultBody = z
  .strictObject({
    display_name: displayName
      .optional()
      .describe('New name, unique among vaults without regard to case. Absent: unchanged.'),
    description: description
      .optional()
      .describe('New description, at most 1024 characters; null: none. Absent: unchanged.'),
  })
  .refine((body) => Object.keys(body).length > 0, 'must change something')
  .meta({ id: 'UpdateVaultRequest' });

export const vault = z
  .strictObject({
    id: id.describe('Id of the vault.'),
    display_name: z.string().describe('Name for people; unique among vaults.'),
    description: z.string().nullable().describe('Text for people; null for none.'),
    ...frozenFields(z.enum(['active', 'frozen']).describe('`frozen`: see `frozen_by`.')),
    wallet_count: z
      .int()
      .describe('How many wallets it has, those whose key is still being generated included.'),
    ...stampFields,
  })
  .meta({ id: 'Vault' });

export const vaultPage = pageOf('VaultPage', vault);

export const listVaultsQuery = z.strictObject({
  ...pageQuery,
  vault_ids: commaSeparatedIds
    .optional()
    .describe('Comma-separated ids: these vaults alone. Absent: all.'),
  display_name_like: z
    .string()
    .max(128)
    .optional()
    .describe('Part of the name, without regard to case. Absent: all.'),
});

export const vaultIdsQuery = z.strictObject({
  vault_ids: commaSeparatedIds.describe(
    'Comma-separated ids of vaults, 1 to 100; 404 when one of them is unknown.',
  ),
});

export const createWalletBody = z
  .strictObject({
    network_family: z
      .string()
      .max(64)
      .describe('One of `supported_blockchain_networks[].family`, e.g. `solana`.'),
    display_name: displayName
      .optional()
      .describe(
        "Name for people: 1 to 128 characters. Absent: made from the family's name, e.g. `Solana wallet`.",
      ),
  })
  .meta({ id: 'WalletRequest' });

export const updateWalletBody = z
  .strictObject({ display_name: displayName.describe('New name: 1 to 128 characters.') })
  .meta({ id: 'UpdateWalletRequest' });

export const attestation = z.strictObject({
  party: z.int().min(1).max(3).describe('Number of the party, 1 to 3.'),
  signature: z
    .string()
    .describe(
      "By the party's identity key over genesis hash, vault id, key id, key type, public key, address and ceremony hash (vault id and address empty for a key without a wallet): Ed25519 signature, 64 bytes, base64.",
    ),
  ceremony_hash: z
    .string()
    .describe(
      'Names the run of generation or import that made the key, the same for all three: 32 bytes, hex.',
    ),
});

export const wallet = z
  .strictObject({
    id: id.describe('Id of the wallet, as security groups name it.'),
    vault_id: id.describe('Id of the vault that it is in.'),
    address: z
      .string()
      .describe('Its address on every network of the family, in the spelling of that family.'),
    network_family: z.string().describe('One of `supported_blockchain_networks[].family`.'),
    networks: z
      .array(z.string())
      .describe('Ids of its networks: those of its family that are enabled now.'),
    public_key: publicKey.describe('Its Ed25519 public key (RFC 8032) in two forms.'),
    key_id: id.describe('Id of its key, which belongs to no other wallet.'),
    display_name: z.string().describe('Name for people; not unique.'),
    ...frozenFields(z.enum(['active', 'frozen']).describe('`frozen`: see `frozen_by`.')),
    attestations: z
      .array(attestation)
      .describe(
        "Each party's word for the key and its address, in the order of the parties: checked against a pinned genesis they show whether the address is true.",
      ),
    ...stampFields,
  })
  .meta({ id: 'Wallet' });

export const walletPage = pageOf('WalletPage', wallet);

export const listWalletsQuery = z.strictObject({
  ...pageQuery,
  addresses: commaSeparatedAddresses
    .optional()
    .describe('Comma-separated addresses: these wallets alone. Absent: all.'),
  network_family: queryEnum(NETWORK_FAMILIES)
    .optional()
    .describe('Wallets of this family alone, e.g. `solana`. Absent: all.'),
});

export const addressesQuery = z.strictObject({
  addresses: commaSeparatedAddresses.describe(
    'Comma-separated addresses of wallets of the vault, 1 to 100; 404 when one of them is unknown.',
  ),
});
