import { z } from 'zod';

export const systemSettings = z
  .strictObject({
    version: z.int(),
    testnets_enabled: z.boolean(),
    usd_value_conditions_enabled: z.boolean(),
  })
  .meta({ id: 'SystemSettings' });

export const patchSystemSettingsBody = z
  .strictObject({
    version: z.number().int().min(1),
    testnets_enabled: z.boolean().optional(),
    usd_value_conditions_enabled: z.boolean().optional(),
  })
  .meta({ id: 'SystemSettingsPatch' });
