/** Settings of the whole system, and what it supports. */
import { useState } from 'react';
import type { OperationValue } from '@countersign/client/operation-calls.js';
import { ConfirmedChange } from '../../vault/confirmed-change.js';
import { Fact, Facts, Panel, Quiet, Screen } from '../../design/pieces.js';
import { Fault } from '../../vault/fault.js';
import { useChange, useRead } from '../../vault/vault-queries.js';

type Settings = OperationValue<'get-system-settings'>;

const SWITCHES = {
  testnets_enabled: 'Wallets and policies may use testnets',
  usd_value_conditions_enabled: 'Policies may state values in US dollars',
} as const;

export function SettingsScreen() {
  const { data: settings, error } = useRead('get-system-settings', {});
  return (
    <Screen title="System" lead="What holds for the whole vault, and what it can sign for.">
      <Fault error={error} />
      {settings !== undefined && <SettingsPanel key={settings.version} settings={settings} />}
      <CataloguePanel />
    </Screen>
  );
}

function SettingsPanel({ settings }: { readonly settings: Settings }) {
  const [chosen, setChosen] = useState<Partial<Record<keyof typeof SWITCHES, boolean>>>({});
  const change = useChange((calls) =>
    calls.call('modify-system-settings', { body: { version: settings.version, ...chosen } }),
  );
  return (
    <Panel title="Settings">
      {Object.entries(SWITCHES).map(([name, label]) => (
        <label key={name}>
          <input
            type="checkbox"
            checked={
              chosen[name as keyof typeof SWITCHES] ?? settings[name as keyof typeof SWITCHES]
            }
            onChange={({ target }) => setChosen({ ...chosen, [name]: target.checked })}
          />{' '}
          {label}
        </label>
      ))}
      {Object.keys(chosen).length > 0 && (
        <ConfirmedChange label="Change the settings of the whole system" change={change} />
      )}
    </Panel>
  );
}

function CataloguePanel() {
  const { data } = useRead('get-system-info', {});
  if (data === undefined) return <Quiet>Loading what is supported …</Quiet>;
  return (
    <>
      <Panel title="Venues">
        <Facts>
          {data.supported_venues.map((venue) => (
            <Fact key={venue.id} name={venue.display_name}>
              <code>{venue.id}</code>, keys: {venue.key_types.join(', ')}
            </Fact>
          ))}
        </Facts>
      </Panel>
      <Panel title="Networks">
        <Facts>
          {data.supported_blockchain_networks.flatMap(({ networks }) =>
            networks.map((network) => (
              <Fact key={network.id} name={network.display_name}>
                <code>{network.id}</code>
                {network.enabled ? '' : ', a testnet that is off'}; assets:{' '}
                {network.assets.map(({ symbol }) => symbol).join(', ')}
              </Fact>
            )),
          )}
        </Facts>
      </Panel>
    </>
  );
}
