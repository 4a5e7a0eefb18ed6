/** Which vault, wallet, venue, key or user: found by a part of its name. */
import { useState } from 'react';
import { SearchChoice } from '../../design/search-choice.js';
import { visibleText } from '../../design/visible-text.js';
import { useRead, useRows } from '../../vault/vault-queries.js';
import { walletQuery } from '../../vault/wallet-query.js';
import type { FreezeTarget, Scope } from './freeze-scopes.js';

/** With the words that a button says. */
export interface ChosenTarget extends FreezeTarget {
  readonly name: string;
}

type ListedScope = Exclude<Scope, 'system'>;

interface ChoiceProps {
  readonly onChoose: (target: ChosenTarget | undefined) => void;
}

export function TargetChoice({ scope, onChoose }: ChoiceProps & { readonly scope: ListedScope }) {
  switch (scope) {
    case 'vault':
      return <VaultChoice onChoose={onChoose} />;
    case 'wallet':
      return <WalletChoice onChoose={onChoose} />;
    case 'venue':
      return <VenueChoice onChoose={onChoose} />;
    case 'key':
      return <KeyChoice onChoose={onChoose} />;
    case 'user':
      return <UserChoice onChoose={onChoose} />;
  }
}

function VaultChoice({ onChoose }: ChoiceProps) {
  const [part, setPart] = useState('');
  const { rows } = useRows('list-vaults', { query: searchFor(part) });
  const names = rows.map(({ id, display_name: name }) => [id, name] as const);
  return <Found scope="vault" names={names} onSearch={setPart} onChoose={onChoose} />;
}

function KeyChoice({ onChoose }: ChoiceProps) {
  const [part, setPart] = useState('');
  const { rows } = useRows('list-keys', { query: searchFor(part) });
  const names = rows.map(({ id, display_name: name }) => [id, name] as const);
  return <Found scope="key" names={names} onSearch={setPart} onChoose={onChoose} />;
}

function UserChoice({ onChoose }: ChoiceProps) {
  const [part, setPart] = useState('');
  const { rows } = useRows('list-users', { query: searchFor(part) });
  const names = rows.map(({ id, display_name: name, type }) => [id, `${name} (${type})`] as const);
  return <Found scope="user" names={names} onSearch={setPart} onChoose={onChoose} />;
}

function VenueChoice({ onChoose }: ChoiceProps) {
  const { data } = useRead('get-system-info', {});
  const venues = data?.supported_venues ?? [];
  const names = venues.map(({ id, display_name: name }) => [id, name] as const);
  return <Found scope="venue" names={names} onChoose={onChoose} />;
}

function WalletChoice({ onChoose }: ChoiceProps) {
  const [vaultId, setVaultId] = useState<string>();
  return (
    <>
      <VaultChoice
        onChoose={(vault) => {
          onChoose(undefined);
          setVaultId(vault?.id);
        }}
      />
      {vaultId !== undefined && <WalletIn key={vaultId} vaultId={vaultId} onChoose={onChoose} />}
    </>
  );
}

function WalletIn({ vaultId, onChoose }: ChoiceProps & { readonly vaultId: string }) {
  const [part, setPart] = useState('');
  const query = walletQuery(part);
  const { rows } = useRows('list-wallets', { params: { vault_id: vaultId }, query });
  const names = rows.map(
    ({ address, display_name: name }) =>
      [address, name === null ? address : `${name} (${address})`] as const,
  );
  return (
    <Found
      scope="wallet"
      names={names}
      onSearch={setPart}
      onChoose={(wallet) => onChoose(wallet && { ...wallet, vaultId })}
    />
  );
}

interface FoundProps extends ChoiceProps {
  readonly scope: ListedScope;
  /** By what is chosen with each. */
  readonly names: readonly (readonly [string, string])[];
  readonly onSearch?: (part: string) => void;
}

/** As the list above calls them. */
const WORDS: Readonly<Record<ListedScope, string>> = {
  user: 'bot or person',
  wallet: 'wallet, by its name or its address',
  vault: 'vault',
  venue: 'venue',
  key: 'key',
};

function Found({ scope, names, onChoose, ...search }: FoundProps) {
  const [chosen, setChosen] = useState<string>();
  const options = Object.fromEntries(names);
  return (
    <SearchChoice
      label={`Which ${WORDS[scope]}`}
      options={options}
      value={chosen}
      onChange={(id) => {
        setChosen(id);
        onChoose(
          id === undefined
            ? undefined
            : { scope, id, name: `${scope} ${visibleText(options[id] ?? id)}` },
        );
      }}
      empty={`There is no such ${scope}.`}
      {...search}
    />
  );
}

function searchFor(part: string): { limit: string; display_name_like?: string } {
  return part === '' ? { limit: '100' } : { limit: '100', display_name_like: part };
}
