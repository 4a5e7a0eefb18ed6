import { apiOperation, READ, WRITE } from '../operation.js';
import { modifySystemSettingsTexts, systemSettings } from '../settings-schema.js';
import { modifySystemSettingsRequest } from '../requests/settings.js';

const tag = 'system-settings';

export const modifySystemSettingsOperation = apiOperation({
  ...WRITE,
  tag,
  ...modifySystemSettingsRequest,
  texts: modifySystemSettingsTexts,
  summary: 'Update the system settings',
  description:
    'Changes the settings that are given. `version` is the version that the caller has read. Where it is stale, read the settings again, review them, and retry. While a setting is off, what depends on it is refused. ' +
    'Answers 409 when the settings are at another version. Disabling testnets is 409 while a wallet or signing policy names one. Disabling USD value conditions is 409 while a signing policy states one. The answer names up to ten of them. A change and what depends on it never both take effect, whichever of them is first.',
  response: systemSettings,
  example: {
    body: { version: 1, testnets_enabled: true },
    response: { version: 2, testnets_enabled: true, usd_value_conditions_enabled: false },
  },
});

export const getSystemSettingsOperation = apiOperation({
  ...READ,
  tag,
  id: 'get-system-settings',
  path: '/v1/system-settings',
  summary: 'Get the system settings',
  description: 'The settings of the whole deployment, with the version that an update has to name.',
  response: systemSettings,
  example: {
    response: { version: 1, testnets_enabled: false, usd_value_conditions_enabled: false },
  },
});

export const SETTINGS_OPERATIONS = [
  modifySystemSettingsOperation,
  getSystemSettingsOperation,
] as const;
