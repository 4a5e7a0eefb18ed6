/** Every provider that can be above a KEK. What each needs besides this repository's code is loaded once it is asked. */
import type {
  ProviderName,
  ProviderSettings,
  SettingsOf,
} from '@countersign/runtime/settings/kek-settings.js';
import { openAws } from './aws-provider.js';
import { openAzure } from './azure-provider.js';
import { openGoogle } from './google-provider.js';
import type { KekProvider } from './kek-provider.js';
import { openPkcs11 } from './pkcs11-provider.js';
import { openTransit } from './transit-provider.js';

const PROVIDERS: { readonly [Name in ProviderName]: (settings: SettingsOf<Name>) => KekProvider } =
  {
    aws: openAws,
    azure: openAzure,
    google: openGoogle,
    pkcs11: openPkcs11,
    transit: openTransit,
  };

export function openProvider(settings: ProviderSettings): KekProvider {
  const open = PROVIDERS[settings.provider] as (settings: ProviderSettings) => KekProvider;
  return open(settings);
}
