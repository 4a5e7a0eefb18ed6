import { modifySystemSettingsOperation } from '@countersign/api/operations/settings.js';
import { systemSettingsView } from '../views/settings-view.js';
import { refuse } from '@countersign/core/errors.js';
import { testnetReferences } from '../checks/testnet-references.js';
import { ledgerOperation } from './ledger-operation.js';

/**
 * Changes settings of the whole deployment. 409 unless the caller names the version that it has read, and
 * when testnets are to be disabled while a wallet or rule names one.
 */
export const modifySystemSettings = ledgerOperation({
  ...modifySystemSettingsOperation,
  check(state, { body }, catalogues) {
    if (!state.settings.testnetsEnabled || body.testnets_enabled !== false) return undefined;
    const users = testnetReferences(state, catalogues);
    return users.length === 0
      ? undefined
      : refuse('resource_conflict', `testnets are in use by ${users.slice(0, 10).join(', ')}`);
  },
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
  answer: (state) => systemSettingsView(state.settings),
});
