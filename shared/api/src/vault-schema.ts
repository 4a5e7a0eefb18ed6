import * as s from '@countersign/core/shapes.js';
import { pageOf, publicKey, stampFields } from './common-schema.js';
import { frozenFields } from './freeze-schema.js';
import { commaSeparatedAddresses, commaSeparatedIds, DESCRIPTION_TEXT, id } from './primitives.js';
import { nameFilter, pageQuery, queryEnum } from './primitives.js';
import type { RequestTexts } from './request-texts.js';
import { NETWORK_FAMILIES } from '@countersign/core/vocabulary.js';

export const createVaultTexts: RequestTexts = {
  name: 'VaultRequest',
  body: {
    display_name:
      'Name for people, unique among vaults without regard to case: 1 to 128 characters, without control characters and without white space at either end.',
    description: DESCRIPTION_TEXT,
  },
};

export const updateVaultTexts: RequestTexts = {
  name: 'UpdateVaultRequest',
  body: {
    display_name: 'New name, unique among vaults without regard to case. Absent: unchanged.',
    description: 'New description, at most 1024 characters; null: none. Absent: unchanged.',
  },
};

export const vaultIdsTexts: RequestTexts = {
  query: {
    vault_ids: 'Comma-separated ids of vaults, 1 to 100; 404 when one of them is unknown.',
  },
};

const NEW_WALLET = {
  network_family: 'One of `supported_blockchain_networks[].family`, e.g. `solana`.',
  display_name:
    "Name for people: 1 to 128 characters. Absent: made from the family's name, e.g. `Solana wallet`.",
  networks:
    "Ids of networks of the family, 1 to 32, none twice: what it can sign transactions for. Absent: the family's mainnet. A testnet must be named, and is 422 while testnets are disabled.",
  labels:
    'Name to value, at most 20: names of 1 to 64 of `a-z`, `0-9`, `_`, `.` and `-`, values of at most 256 characters. Absent: none. They stay as they are. A wallet is in every security group that selects it by its labels.',
};

export const createWalletTexts: RequestTexts = { name: 'WalletRequest', body: NEW_WALLET };

export const bulkCreateWalletsTexts: RequestTexts = {
  name: 'BulkCreateWalletsRequest',
  body: {
    wallets: ['The wallets to make, 1 to 100.', NEW_WALLET],
  },
};

export const updateWalletTexts: RequestTexts = {
  name: 'UpdateWalletRequest',
  body: {
    display_name: 'New name: 1 to 128 characters. Absent: unchanged.',
    networks:
      'Ids of all networks that it is to have, 1 to 32 of its family, none twice: others are taken from it. A testnet is 422 while testnets are disabled. Absent: unchanged.',
  },
};

export const addressesTexts: RequestTexts = {
  query: {
    addresses:
      'Comma-separated addresses of wallets of the vault, 1 to 100; 404 when one of them is unknown.',
  },
};

export const vault = s
  .strictObject({
    id: id.describe('Id of the vault.'),
    display_name: s.string().describe('Name for people; unique among vaults.'),
    description: s.string().nullable().describe('Text for people; null for none.'),
    ...frozenFields(s.words(['active', 'frozen']).describe('`frozen`: see `frozen_by`.')),
    wallet_count: s
      .int()
      .describe('How many wallets it has, those whose key is still being generated included.'),
    ...stampFields,
  })
  .meta({ id: 'Vault' });

export const vaultPage = pageOf('VaultPage', vault);

export const listVaultsQuery = s.strictObject({
  ...pageQuery,
  vault_ids: commaSeparatedIds
    .optional()
    .describe('Comma-separated ids: these vaults alone. Absent: all.'),
  display_name_like: nameFilter,
});

export const attestation = s.strictObject({
  party: s.int().min(1).max(3).describe('Number of the party, 1 to 3.'),
  signature: s
    .string()
    .describe(
      "Ed25519 signature by the party's identity key, 64 bytes, base64. It covers genesis hash, vault id, key id, key type, public key, address and ceremony hash. Vault id and address are empty for a key without a wallet.",
    ),
  ceremony_hash: s
    .string()
    .describe(
      'Names the run of generation or import that made the key, the same for all three: 32 bytes, hex.',
    ),
});

export const wallet = s
  .strictObject({
    id: id.describe('Id of the wallet, as security groups name it.'),
    vault_id: id.describe('Id of the vault that it is in.'),
    address: s
      .string()
      .describe('Its address on every network of the family, in the spelling of that family.'),
    network_family: s.string().describe('One of `supported_blockchain_networks[].family`.'),
    networks: s.array(s.string()).describe('Ids of its networks, as it was given them.'),
    public_key: publicKey.describe('Its Ed25519 public key (RFC 8032) in two forms.'),
    key_id: id.describe('Id of its key, which belongs to no other wallet.'),
    display_name: s.string().describe('Name for people; not unique.'),
    labels: s.record(s.string(), s.string()).describe('Name to value; empty for none.'),
    ...frozenFields(s.words(['active', 'frozen']).describe('`frozen`: see `frozen_by`.')),
    attestations: s
      .array(attestation)
      .describe(
        "Each party's attestation of the key and its address, in the order of the parties. Checked against a pinned genesis they show whether the address is true.",
      ),
    ...stampFields,
  })
  .meta({ id: 'Wallet' });

export const walletPage = pageOf('WalletPage', wallet);

export const bulkWallets = s
  .strictObject({ results: s.array(wallet).describe('One for each, in the order of the request.') })
  .meta({ id: 'BulkWallets' });

export const listWalletsQuery = s.strictObject({
  ...pageQuery,
  display_name_like: s
    .string()
    .max(128)
    .optional()
    .describe(
      'Part of the name, without regard to case; wallets without a name have none. Absent: all.',
    ),
  addresses: commaSeparatedAddresses
    .optional()
    .describe('Comma-separated addresses: these wallets alone. Absent: all.'),
  network_family: queryEnum(NETWORK_FAMILIES)
    .optional()
    .describe('Wallets of this family alone, e.g. `solana`. Absent: all.'),
  security_group_id: id
    .optional()
    .describe(
      'Id of a security group: wallets that it names or selects by their labels. Absent: all.',
    ),
});
