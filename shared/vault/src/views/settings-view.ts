import type * as s from '@countersign/core/shapes.js';
import type { systemSettings } from '@countersign/api/settings-schema.js';
import type { SystemSettings } from '../state/state.js';

export function systemSettingsView(settings: SystemSettings): s.InputOf<typeof systemSettings> {
  return {
    version: settings.version,
    testnets_enabled: settings.testnetsEnabled,
    usd_value_conditions_enabled: settings.usdValueConditionsEnabled,
  };
}
