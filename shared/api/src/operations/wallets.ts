import { deletedView } from '../common-schema.js';
import { apiOperation, READ, WRITE } from '../operation.js';
import {
  addressesTexts,
  bulkCreateWalletsTexts,
  bulkWallets,
  createWalletTexts,
  listWalletsQuery,
  updateWalletTexts,
  wallet,
  walletPage,
} from '../vault-schema.js';
import { ADDRESS, wallet as walletExample } from '../example-values.js';
import {
  bulkCreateWalletsRequest,
  createWalletRequest,
  deleteWalletsRequest,
  updateWalletRequest,
} from '../requests/vaults.js';

const tag = 'wallets';

export const createWalletOperation = apiOperation({
  ...WRITE,
  tag,
  ...createWalletRequest,
  texts: createWalletTexts,
  summary: 'Create a wallet: the three parties generate its key together',
  description:
    'Creates a wallet with a new Ed25519 key of its own, for the mainnet of the family or the networks that are named. All three parties make the key together, and each attests the public key. A client that pins the genesis checks the address against their signatures before it pays anything in. ' +
    'Answers 202 when the key is not ready within the wait. A wallet is listed once it has an address. ' +
    'Answers 403 when the vault is frozen, or its labels put it into a security group whose rules let the caller sign (unless the caller may manage that group). Answers 404 when there is no such vault. Answers 422 when the family is none of those in `GET /v1/system-info`. Answers 422 when a network is none of the family, or a testnet is named while testnets are disabled.',
  response: wallet,
  example: { body: { network_family: 'solana' }, response: walletExample },
});

export const bulkCreateWalletsOperation = apiOperation({
  ...WRITE,
  tag,
  ...bulkCreateWalletsRequest,
  texts: bulkCreateWalletsTexts,
  summary: 'Create up to 100 wallets with one request',
  description:
    'Creates wallets as `POST /v1/vaults/{vault_id}/wallets` does, all of them or none, in one entry of the ledger. Their ids are derived from the entry and their place in the request. ' +
    'Answers 202 when they are not all ready within the wait. It is refused as a single wallet is. A 422 names the wallet by its index.',
  response: bulkWallets,
  example: {
    body: { wallets: [{ network_family: 'solana' }] },
    response: { results: [walletExample] },
  },
});

export const updateWalletOperation = apiOperation({
  ...WRITE,
  tag,
  ...updateWalletRequest,
  texts: updateWalletTexts,
  summary: 'Update a wallet',
  description:
    'Changes what the wallet is called and which networks it has; its key, address and labels stay. Answers 404 when the vault has no such wallet. Answers 422 when a network is none of its family, or a testnet while testnets are disabled.',
  response: wallet,
  example: { body: { display_name: 'Solana wallet' }, response: walletExample },
});

export const deleteWalletsOperation = apiOperation({
  ...WRITE,
  tag,
  ...deleteWalletsRequest,
  texts: addressesTexts,
  summary: 'Remove frozen wallets: their keys are kept, disabled',
  description:
    'Removes the named wallets, all of them or none; they leave their security groups, and their keys are kept but no longer sign. ' +
    'Answers 404 when the vault or one of the wallets does not exist. Answers 409 when one of them is not frozen.',
  response: deletedView,
  example: { query: { addresses: ADDRESS }, response: { deleted: [ADDRESS] } },
});

export const listWalletsOperation = apiOperation({
  ...READ,
  tag,
  id: 'list-wallets',
  path: '/v1/vaults/{vault_id}/wallets',
  summary: "List a vault's wallets",
  description:
    'The wallets of one vault in the order of their creation, oldest first, page by page. Only what matches every given filter is listed; a wallet whose key is still being made is not listed. Answers 404 when there is no such vault.',
  query: listWalletsQuery,
  response: walletPage,
  example: {
    query: { network_family: 'solana' },
    response: { results: [walletExample], next_cursor: null },
  },
});

export const getWalletOperation = apiOperation({
  ...READ,
  tag,
  id: 'get-wallet',
  path: '/v1/vaults/{vault_id}/wallets/{address}',
  summary: 'Get a wallet',
  description: 'One wallet. Answers 404 when the vault has no such wallet.',
  response: wallet,
  example: { response: walletExample },
});

export const WALLET_OPERATIONS = [
  createWalletOperation,
  bulkCreateWalletsOperation,
  updateWalletOperation,
  deleteWalletsOperation,
  listWalletsOperation,
  getWalletOperation,
] as const;
