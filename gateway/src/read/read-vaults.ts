import { getVaultOperation, listVaultsOperation } from '@countersign/api/operations/vaults.js';
import { vaultView } from '@countersign/vault/views/vault-view.js';
import { findRow } from '@countersign/vault/operations/lookups.js';
import { listMatcher, pageOf, textMatcher, viewOf } from './page.js';
import { readOperation } from './read-operation.js';

export const listVaults = readOperation({
  ...listVaultsOperation,
  handle(context, { query }) {
    const hasId = listMatcher(query.vault_ids);
    const hasName = textMatcher(query.display_name_like);
    return pageOf(context, {
      name: 'vaults',
      table: context.state.vaults,
      query,
      matches: (row) => hasId(row.id) && hasName(row.displayName),
      view: (row) => vaultView(context.state, row),
    });
  },
});

export const getVault = readOperation({
  ...getVaultOperation,
  handle: ({ state }, { params }) =>
    viewOf(findRow(state.vaults, params['vault_id']), (row) => vaultView(state, row)),
});
