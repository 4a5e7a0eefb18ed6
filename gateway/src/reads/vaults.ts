import { listVaultsQuery, vault, vaultPage } from '@countersign/api/vault-schema.js';
import { vaultView } from '@countersign/vault/views/vault-view.js';
import { findRow, nothing } from '@countersign/vault/operations/lookups.js';
import { listMatcher, pageOf, textMatcher, viewOf } from './page.js';
import { readOperation } from './read-operation.js';

export const listVaults = readOperation({
  id: 'list-vaults',
  method: 'GET',
  path: '/v1/vaults',
  summary: 'List vaults',
  action: 'view_system_resources',
  query: listVaultsQuery,
  response: vaultPage,
  handle(context, { query }) {
    const hasId = listMatcher(query.vault_ids);
    const hasName = textMatcher(query.display_name_like);
    return pageOf(context, {
      name: 'vaults',
      table: context.state.vaults,
      query,
      matches: (row) => hasId(row.id) && hasName(row.displayName),
      view: vaultView,
    });
  },
});

export const getVault = readOperation({
  id: 'get-vault',
  method: 'GET',
  path: '/v1/vaults/{vault_id}',
  summary: 'Get a vault',
  action: 'view_system_resources',
  query: nothing,
  response: vault,
  handle: ({ state }, { params }) => viewOf(findRow(state.vaults, params['vault_id']), vaultView),
});
