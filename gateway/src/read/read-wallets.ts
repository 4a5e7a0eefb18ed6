import { getWalletOperation, listWalletsOperation } from '@countersign/api/operations/wallets.js';
import { walletView } from '@countersign/vault/views/wallet-view.js';
import { isRefusal } from '@countersign/core/errors.js';
import { isInGroup } from '@countersign/vault/policy/group-filter.js';
import { listingOf } from '@countersign/vault/views/slice-table.js';
import { findRow, findWallet } from '@countersign/vault/operations/lookups.js';
import { listMatcher, pageOf, textMatcher, viewOf } from './page.js';
import { readOperation } from './read-operation.js';

export const listWallets = readOperation({
  ...listWalletsOperation,
  handle(context, { params, query }) {
    const { state } = context;
    const vault = findRow(state.vaults, params['vault_id']);
    if (isRefusal(vault)) return vault;
    const hasAddress = listMatcher(query.addresses);
    const hasName = textMatcher(query.display_name_like);
    return pageOf(context, {
      name: `wallets of ${vault.id}`,
      table: listingOf(state.wallets, state.wallets.indexes.byVault.get(vault.id)),
      query,
      // a wallet whose key is still being generated has no address yet and cannot be seen
      matches: (row) =>
        row.address !== '' &&
        hasAddress(row.address) &&
        hasName(row.displayName ?? '') &&
        isInGroup(state, row.id, query.security_group_id) &&
        (query.network_family === undefined || row.networkFamily === query.network_family),
      view: (row) => walletView(state, row),
    });
  },
});

export const getWallet = readOperation({
  ...getWalletOperation,
  handle: ({ state }, { params }) =>
    viewOf(findWallet(state, params['vault_id'], params['address']), (row) =>
      walletView(state, row),
    ),
});
