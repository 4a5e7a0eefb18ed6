import { updatedStamps } from './lookups.js';
import { updateKeyRequest } from '@countersign/api/requests/keys.js';
import { isRefusal, refuse } from '@countersign/core/errors.js';
import { applyChangedKey, findVisibleKey } from './key-effects.js';
import { ledgerOperation } from './ledger-operation.js';

/** Labels, venue and everything that a policy may rest on can never be changed. */
export const updateKey = ledgerOperation({
  ...updateKeyRequest,
  apply(state, { params, body }, context) {
    const before = findVisibleKey(state, params['key_id']);
    if (isRefusal(before)) return before;
    if (before.status === 'destroyed') return refuse('resource_conflict', 'the key is destroyed');
    if (body.version !== undefined && body.version !== before.version) {
      return refuse('resource_conflict', `the key is at version ${before.version}`);
    }
    return applyChangedKey(state, {
      ...before,
      displayName: body.display_name ?? before.displayName,
      description: body.description === undefined ? before.description : body.description,
      venueApiKey: body.venue_api_key === undefined ? before.venueApiKey : body.venue_api_key,
      version: before.version + 1,
      ...updatedStamps(context),
    });
  },
});
