import { createVaultRequest, updateVaultRequest } from '@countersign/api/requests/vaults.js';
import { ledgerOperation } from './ledger-operation.js';
import { RowKind, stated } from './row-kind.js';

const vaults = new RowKind('vaults', {
  what: 'vault',
  resourceType: 'vault',
  vaultsOf: ({ id }) => ({ vaultIds: [id] }),
});

/** Adds an empty vault. 409 for a taken name. */
export const createVault = ledgerOperation({
  ...createVaultRequest,
  apply(state, { body: { display_name: displayName, description = null } }, context) {
    const fields = { displayName, description, frozen: null, walletCount: 0 };
    return vaults.insert(state, vaults.newRow(context, fields));
  },
});

/** Changes name and description. 409 for a taken name. */
export const updateVault = ledgerOperation({
  ...updateVaultRequest,
  vaultIds: (_state, { params }) => [params['vault_id'] ?? ''],
  apply(state, input, context) {
    const { display_name: displayName, description } = input.body;
    const fields = stated({ displayName, description });
    return vaults.change(state, input, context, (before) => ({ ...before, ...fields }));
  },
});
