import { getSystemSettingsOperation } from '@countersign/api/operations/settings.js';
import { systemSettingsView } from '@countersign/vault/views/settings-view.js';
import { readOperation } from './read-operation.js';

export const getSystemSettings = readOperation({
  ...getSystemSettingsOperation,
  handle: ({ state }) => systemSettingsView(state.settings),
});
