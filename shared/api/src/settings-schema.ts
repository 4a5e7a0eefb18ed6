import * as s from '@countersign/core/shapes.js';
import type { RequestTexts } from './request-texts.js';

export const systemSettings = s
  .strictObject({
    version: s.int().describe('Begins at 1 and rises by 1 with every update.'),
    testnets_enabled: s
      .boolean()
      .describe('Whether wallets and signing policies may use testnets; false at first.'),
    usd_value_conditions_enabled: s
      .boolean()
      .describe(
        'Whether signing policies may state USD values; false at first. This release has no such condition yet.',
      ),
  })
  .meta({ id: 'SystemSettings' });

export const modifySystemSettingsTexts: RequestTexts = {
  name: 'SystemSettingsPatch',
  body: {
    version: 'The version that was read: 409 when the settings have changed since.',
    testnets_enabled:
      'Absent: unchanged. To set it to false is 409 while a wallet or a signing policy names a testnet; up to ten of them are named.',
    usd_value_conditions_enabled:
      'Absent: unchanged. To set it to false is 409 while a signing policy states a USD value; up to ten of them are named.',
  },
};
