import { leaveSecurityGroups } from './security-group-members.js';
import {
  createWalletRequest,
  deleteWalletsRequest,
  updateWalletRequest,
} from '@countersign/api/requests/vaults.js';
import { isRefusal, refuse } from '@countersign/core/errors.js';
import type { VaultState, Wallet } from '../state/state.js';
import { deleteRow, replaceRow } from '../state/table.js';
import { findRow, findWallet, updatedStamps } from './lookups.js';
import { applyNewWallet } from './new-wallet.js';
import { ledgerOperation, type Subject } from './ledger-operation.js';
import { stated } from './row-kind.js';

/**
 * Adds a wallet with a key of its own, which the parties then generate. Until they have, the wallet has no address,
 * and nobody sees it. 403 in a frozen vault; 422 for a family that is not supported, and for a network that is not of
 * the family.
 */
export const createWallet = ledgerOperation({
  ...createWalletRequest,
  vaultIds: (_state, { params }) => [params['vault_id'] ?? ''],
  apply: (state, { params, body }, context) =>
    applyNewWallet(state, params['vault_id'], body, context),
});

/** Changes a wallet's name, and which networks it has. */
export const updateWallet = ledgerOperation({
  ...updateWalletRequest,
  vaultIds: (_state, { params }) => [params['vault_id'] ?? ''],
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
  ...deleteWalletsRequest,
  onlyTakesAway: true,
  vaultIds: (_state, { params }) => [params['vault_id'] ?? ''],
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
    const removed = rows.reduce(
      (current, row) => withoutWallet(current, row, updatedStamps(context)),
      state,
    );
    return { state: removed, subject: walletSubject(rows) };
  },
});

function withoutWallet(
  state: VaultState,
  row: Wallet,
  stamps: { lastUpdatedAt: number; lastUpdatedBy: string },
): VaultState {
  const key = state.keys.rows.get(row.keyId)!;
  const vault = state.vaults.rows.get(row.vaultId)!;
  return {
    ...leaveSecurityGroups(state, row.id),
    vaults: replaceRow(state.vaults, { ...vault, walletCount: vault.walletCount - 1 }),
    wallets: deleteRow(state.wallets, row.id),
    keys: replaceRow(state.keys, { ...key, status: 'disabled', ...stamps }),
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
