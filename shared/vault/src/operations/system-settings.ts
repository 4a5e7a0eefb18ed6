import { modifySystemSettingsRequest } from '@countersign/api/requests/settings.js';
import { refuse } from '@countersign/core/errors.js';
import { ledgerOperation } from './ledger-operation.js';

/**
 * Changes settings of the whole deployment. 409 unless the caller names the version that it has read, and when a
 * setting is to be switched off while something rests on it.
 */
export const modifySystemSettings = ledgerOperation({
  ...modifySystemSettingsRequest,
  // the fold refuses the same (`change-guards.ts`), for requests that race with one another
  apply(state, { body }) {
    const before = state.settings;
    if (body.version !== before.version) {
      return refuse('resource_conflict', `the settings are at version ${before.version}`);
    }
    const after = {
      version: before.version + 1,
      testnetsEnabled: body.testnets_enabled ?? before.testnetsEnabled,
      usdValueConditionsEnabled:
        body.usd_value_conditions_enabled ?? before.usdValueConditionsEnabled,
    };
    return {
      state: { ...state, settings: after },
      subject: { resourceType: 'system_settings', resourceIds: ['system_settings'] },
    };
  },
});
