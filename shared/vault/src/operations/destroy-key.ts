import { updatedStamps } from './lookups.js';
import { destroyKeyRequest } from '@countersign/api/requests/keys.js';
import { isRefusal, refuse } from '@countersign/core/errors.js';
import { applyChangedKey, findVisibleKey } from './key-effects.js';
import { ledgerOperation } from './ledger-operation.js';
import { leaveSecurityGroups } from './security-group-members.js';

/** Cannot be undone: every party deletes its share, and this row stays as the tombstone. */
export const destroyKey = ledgerOperation({
  ...destroyKeyRequest,
  onlyTakesAway: true,
  apply(state, { params }, context) {
    const before = findVisibleKey(state, params['key_id']);
    if (isRefusal(before)) return before;
    if (state.wallets.rows.has(before.walletId ?? '')) {
      return refuse('resource_conflict', 'the key belongs to a wallet: remove the wallet first');
    }
    if (before.status === 'destroyed') return applyChangedKey(state, before);
    return applyChangedKey(leaveSecurityGroups(state, before.id), {
      ...before,
      status: 'destroyed',
      version: before.version + 1,
      ...updatedStamps(context),
    });
  },
});
