/** Wallets, each with a key of its own. A wallet gets an address once the parties have made the key. */
import * as requests from '@countersign/api/requests/vaults.js';
import { deny } from '@countersign/core/fold-denials.js';
import { isRefusal, refuse, type Refusal } from '@countersign/core/errors.js';
import { NETWORK_FAMILIES, type NetworkFamily } from '@countersign/core/vocabulary.js';
import { mainnetsOf } from '../state/setting-dependents.js';
import type { Labels, VaultState, Wallet } from '../state/state.js';
import { deleteRow, insertRow, replaceRow } from '../state/table.js';
import { placed, refusalAt } from './bulk-places.js';
import {
  ledgerOperation,
  type Applied,
  type ApplyContext,
  type Subject,
} from './ledger-operation.js';
import { findRow, findWallet, newStamps, updatedStamps } from './lookups.js';
import { newKey } from './new-key.js';
import type { Input } from './operation-input.js';
import { stated } from './row-kind.js';
import { leaveSecurityGroups } from './security-group-members.js';

const vaultOfPath = (_state: VaultState, { params }: Input<unknown, unknown>) => [
  params['vault_id'] ?? '',
];

/**
 * Adds a wallet with a key of its own, which the parties then generate. Until they have, the wallet has no address,
 * and nobody sees it. 403 in a frozen vault; 422 for a family that is not supported, and for a network that is not of
 * the family.
 */
export const createWallet = ledgerOperation({
  ...requests.createWalletRequest,
  vaultIds: vaultOfPath,
  apply: (state, { params, body }, context) =>
    applyNewWallet(state, params['vault_id'], body, context),
});

/** 403 in a frozen vault. */
export const bulkCreateWallets = ledgerOperation({
  ...requests.bulkCreateWalletsRequest,
  vaultIds: vaultOfPath,
  apply(state, { params, body }, context) {
    let made = state;
    const walletIds: string[] = [];
    const keyIds: string[] = [];
    for (const [index, wallet] of body.wallets.entries()) {
      const applied = applyNewWallet(made, params['vault_id'], wallet, placed(context, index));
      if (isRefusal(applied)) return refusalAt('wallets', index, applied);
      made = applied.state;
      walletIds.push(...applied.subject.resourceIds);
      keyIds.push(...(applied.subject.keyIds ?? []));
    }
    const vaultIds = [params['vault_id'] ?? ''];
    return {
      state: made,
      subject: { resourceType: 'wallet', resourceIds: walletIds, vaultIds, keyIds },
    };
  },
});

/** Changes a wallet's name, and which networks it has. */
export const updateWallet = ledgerOperation({
  ...requests.updateWalletRequest,
  vaultIds: vaultOfPath,
  apply(state, { params, body }, context) {
    const before = findWallet(state, params['vault_id'], params['address']);
    if (isRefusal(before)) return before;
    const row = {
      ...before,
      ...stated({ displayName: body.display_name, networks: body.networks }),
      ...updatedStamps(context),
    };
    return {
      state: { ...state, wallets: replaceRow(state.wallets, row) },
      subject: walletSubject([row]),
    };
  },
});

/**
 * Removes frozen wallets and disables their keys; the parties keep the shares. Removes all of them or none: 404 if one
 * does not exist, 409 if one is not frozen.
 */
export const deleteWallets = ledgerOperation({
  ...requests.deleteWalletsRequest,
  onlyTakesAway: true,
  vaultIds: vaultOfPath,
  apply(state, { params, query }, context) {
    const vault = findRow(state.vaults, params['vault_id']);
    if (isRefusal(vault)) return vault;
    const rows: Wallet[] = [];
    for (const address of new Set(query.addresses)) {
      const row = findWallet(state, vault.id, address);
      if (isRefusal(row)) return row;
      if (row.frozen === null) {
        return refuse('resource_conflict', 'only a frozen wallet can be removed');
      }
      rows.push(row);
    }
    const removed = rows.reduce((left, row) => withoutWallet(left, row, context), state);
    return { state: removed, subject: walletSubject(rows) };
  },
});

function withoutWallet(state: VaultState, row: Wallet, context: ApplyContext): VaultState {
  const key = state.keys.rows.get(row.keyId)!;
  const vault = state.vaults.rows.get(row.vaultId)!;
  return {
    ...leaveSecurityGroups(state, row.id),
    vaults: replaceRow(state.vaults, { ...vault, walletCount: vault.walletCount - 1 }),
    wallets: deleteRow(state.wallets, row.id),
    keys: replaceRow(state.keys, { ...key, status: 'disabled', ...updatedStamps(context) }),
  };
}

/** The subject of an entry about wallets. */
export function walletSubject(rows: readonly Wallet[]): Subject {
  return {
    resourceType: 'wallet',
    resourceIds: rows.map((row) => row.id),
    vaultIds: [...new Set(rows.map((row) => row.vaultId))],
    walletAddresses: rows.map((row) => row.address),
    keyIds: rows.map((row) => row.keyId),
  };
}

/** Default names of wallets. Recorded entries rest on these texts. */
const WALLET_NAMES: Readonly<Record<NetworkFamily, string>> = {
  solana: 'Solana wallet',
  sui: 'Sui wallet',
  aptos: 'Aptos wallet',
  stellar: 'Stellar wallet',
  near: 'NEAR wallet',
};

/** The fields of a request that makes a wallet, as the API names them. */
interface NewWalletBody {
  readonly network_family: string;
  readonly display_name?: string | undefined;
  /** Absent: the mainnet. */
  readonly networks?: readonly string[] | undefined;
  readonly labels?: Labels | undefined;
}

/** 403 in a frozen vault; 422 for a family that is not supported. */
function applyNewWallet(
  state: VaultState,
  vaultId: string | undefined,
  body: NewWalletBody,
  context: ApplyContext,
): Applied | Refusal {
  const vault = findRow(state.vaults, vaultId);
  if (isRefusal(vault)) return vault;
  const networkFamily = NETWORK_FAMILIES.find((family) => family === body.network_family);
  if (networkFamily === undefined) {
    return refuse('invalid_inputs', 'network_family: must be a supported family');
  }
  if (vault.frozen !== null) return deny('frozen', 'vault');
  const id = context.newId('wallet');
  const key = newKey(context, {
    displayName: body.display_name ?? WALLET_NAMES[networkFamily],
    type: 'ed25519',
    scheme: 'ed25519',
    custody: 'mpc',
    status: 'generating',
    walletId: id,
  });
  const { networks = mainnetsOf(networkFamily), labels } = body;
  const row: Wallet = {
    id,
    vaultId: vault.id,
    networkFamily,
    networks,
    displayName: key.displayName,
    address: '',
    ...(labels !== undefined && { labels }),
    frozen: null,
    ...newStamps(context),
    keyId: key.id,
  };
  return {
    state: {
      ...state,
      vaults: replaceRow(state.vaults, { ...vault, walletCount: vault.walletCount + 1 }),
      wallets: insertRow(state.wallets, row),
      keys: insertRow(state.keys, key),
    },
    subject: { resourceType: 'wallet', resourceIds: [id], vaultIds: [vault.id], keyIds: [key.id] },
  };
}
