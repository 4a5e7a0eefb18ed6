import { modifySystemSettingsOperation } from '@countersign/api/operations/settings.js';
import { systemSettingsView } from '../views/settings-view.js';
import { refuse } from '@countersign/core/errors.js';
import type { VaultState } from '../state/state.js';
import { isTestnet } from '@countersign/chains/network-catalogue.js';
import { ledgerOperation } from './ledger-operation.js';

/**
 * Changes settings of the whole deployment. 409 unless the caller names the version that it has read, and
 * when testnets are to be disabled while a wallet or rule names one.
 */
export const modifySystemSettings = ledgerOperation({
  ...modifySystemSettingsOperation,
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
    if (before.testnetsEnabled && !after.testnetsEnabled) {
      const users = testnetReferences(state);
      if (users.length > 0) {
        return refuse(
          'resource_conflict',
          `testnets are in use by ${users.slice(0, 10).join(', ')}`,
        );
      }
    }
    return {
      state: { ...state, settings: after },
      subject: { resourceType: 'system_settings', resourceIds: ['system_settings'] },
    };
  },
  answer: (state) => systemSettingsView(state.settings),
});

/** Ids of wallets and signing policies that name a testnet. */
function testnetReferences(state: VaultState): string[] {
  const wallets = [...state.wallets.rows.values()].filter((row) => row.networks.some(isTestnet));
  const policies = [...state.signingPolicies.rows.values()].filter((policy) =>
    policy.rules.some((rule) => rule.when.networks?.some(isTestnet) === true),
  );
  return [...wallets, ...policies].map((row) => row.id);
}
