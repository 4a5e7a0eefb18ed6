import { createVaultRequest, updateVaultRequest } from '@countersign/api/requests/vaults.js';
import { isRefusal } from '@countersign/core/errors.js';
import { insertRow, replaceRow } from '../state/table.js';
import { findRow, refuseTakenName, newStamps, updatedStamps } from './lookups.js';
import { ledgerOperation, type Subject } from './ledger-operation.js';

/** Adds an empty vault. 409 for a taken name. */
export const createVault = ledgerOperation({
  ...createVaultRequest,
  apply(state, { body }, context) {
    const taken = refuseTakenName(state.vaults, body.display_name);
    if (taken !== undefined) return taken;
    const row = {
      id: context.newId('vault'),
      displayName: body.display_name,
      description: body.description ?? null,
      frozen: null,
      walletCount: 0,
      ...newStamps(context),
    };
    return {
      state: { ...state, vaults: insertRow(state.vaults, row) },
      subject: subjectOf(row.id),
    };
  },
});

/** Changes name and description. 409 for a taken name. */
export const updateVault = ledgerOperation({
  ...updateVaultRequest,
  vaultIds: (_state, { params }) => [params['vault_id'] ?? ''],
  apply(state, { params, body }, context) {
    const before = findRow(state.vaults, params['vault_id']);
    if (isRefusal(before)) return before;
    const taken = refuseTakenName(state.vaults, body.display_name, before.id);
    if (taken !== undefined) return taken;
    const row = {
      ...before,
      displayName: body.display_name ?? before.displayName,
      description: body.description === undefined ? before.description : body.description,
      ...updatedStamps(context),
    };
    return {
      state: { ...state, vaults: replaceRow(state.vaults, row) },
      subject: subjectOf(row.id),
    };
  },
});

function subjectOf(id: string): Subject {
  return { resourceType: 'vault', resourceIds: [id], vaultIds: [id] };
}
