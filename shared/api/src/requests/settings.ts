import * as s from '@countersign/core/shapes.js';
import { apiRequest } from './api-request.js';

export const modifySystemSettingsRequest = apiRequest(
  'modify-system-settings',
  'PATCH /v1/system-settings',
  'modify_system_settings',
  {
    body: s.strictObject({
      version: s.int().min(1),
      testnets_enabled: s.boolean().optional(),
      usd_value_conditions_enabled: s.boolean().optional(),
    }),
  },
);
