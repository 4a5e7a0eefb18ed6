import { updatedStamps } from './lookups.js';
import { updateKeyRequest } from '@countersign/api/requests/keys.js';
import { isRefusal, refuse } from '@countersign/core/errors.js';
import { applyChangedKey, findVisibleKey } from './key-effects.js';
import { ledgerOperation } from './ledger-operation.js';
import { refuseStale, stated } from './row-kind.js';

/** Labels, venue and everything that a policy may rest on can never be changed. */
export const updateKey = ledgerOperation({
  ...updateKeyRequest,
  apply(state, { params, body }, context) {
    const before = findVisibleKey(state, params['key_id']);
    if (isRefusal(before)) return before;
    if (before.status === 'destroyed') return refuse('resource_conflict', 'the key is destroyed');
    const { version, display_name: displayName, description, venue_api_key: venueApiKey } = body;
    if (version !== undefined && version !== before.version) {
      return refuseStale('key', before.version);
    }
    return applyChangedKey(state, {
      ...before,
      ...stated({ displayName, description, venueApiKey }),
      version: before.version + 1,
      ...updatedStamps(context),
    });
  },
});
