import { systemSettings } from '@countersign/api/settings-schema.js';
import { systemSettingsView } from '@countersign/vault/views/settings-view.js';
import { nothing } from '@countersign/vault/operations/lookups.js';
import { readOperation } from './read-operation.js';

export const getSystemSettings = readOperation({
  id: 'get-system-settings',
  method: 'GET',
  path: '/v1/system-settings',
  summary: 'Get the system settings',
  action: 'view_system_resources',
  query: nothing,
  response: systemSettings,
  handle: ({ state }) => systemSettingsView(state.settings),
});
