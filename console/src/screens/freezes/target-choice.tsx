/** Which vault, wallet, venue, key or user: found by a part of its name. */
import { useState } from 'react';
import { Field, Quiet } from '../../design/pieces.js';
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
  const options = rows.map(({ id, display_name: name }) => ({ id, name }));
  return (
    <Found scope="vault" part={part} setPart={setPart} options={options} onChoose={onChoose} />
  );
}

function KeyChoice({ onChoose }: ChoiceProps) {
  const [part, setPart] = useState('');
  const { rows } = useRows('list-keys', { query: searchFor(part) });
  const options = rows.map(({ id, display_name: name }) => ({ id, name }));
  return <Found scope="key" part={part} setPart={setPart} options={options} onChoose={onChoose} />;
}

function UserChoice({ onChoose }: ChoiceProps) {
  const [part, setPart] = useState('');
  const { rows } = useRows('list-users', { query: searchFor(part) });
  const options = rows.map(({ id, display_name: name, type }) => ({
    id,
    name: `${name} (${type})`,
  }));
  return <Found scope="user" part={part} setPart={setPart} options={options} onChoose={onChoose} />;
}

function VenueChoice({ onChoose }: ChoiceProps) {
  const { data } = useRead('get-system-info', {});
  const options = (data?.supported_venues ?? []).map(({ id, display_name: name }) => ({
    id,
    name,
  }));
  return <Options scope="venue" options={options} onChoose={onChoose} />;
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
  const query = walletQuery(part.trim());
  const { rows } = useRows('list-wallets', { params: { vault_id: vaultId }, query });
  const options = rows.map(({ address, display_name: name }) => ({
    id: address,
    name: name === null ? address : `${name} (${address})`,
  }));
  return (
    <Found
      scope="wallet"
      part={part}
      setPart={setPart}
      options={options}
      onChoose={(wallet) => onChoose(wallet && { ...wallet, vaultId })}
    />
  );
}

interface Option {
  readonly id: string;
  readonly name: string;
}

interface OptionsProps extends ChoiceProps {
  readonly scope: ListedScope;
  readonly options: readonly Option[];
}

interface FoundProps extends OptionsProps {
  readonly part: string;
  readonly setPart: (part: string) => void;
}

/** As the list above calls them. */
const WORDS: Partial<Record<ListedScope, string>> = { user: 'bot or person' };
const SEARCHES: Partial<Record<ListedScope, string>> = {
  wallet: 'Find a wallet by a part of its name, or by its address',
};

function Found({ part, setPart, ...choice }: FoundProps) {
  return (
    <>
      <Field
        label={SEARCHES[choice.scope] ?? `Find a ${wordOf(choice.scope)} by a part of its name`}
      >
        <input
          type="search"
          value={part}
          onChange={({ target }) => setPart(target.value)}
          maxLength={128}
        />
      </Field>
      <Options {...choice} />
    </>
  );
}

const UNCHOSEN = '';

function Options({ scope, options, onChoose }: OptionsProps) {
  if (options.length === 0) return <Quiet>There is no such {wordOf(scope)}.</Quiet>;
  return (
    <Field label={`Which ${wordOf(scope)}`}>
      <select
        defaultValue={UNCHOSEN}
        onChange={({ target }) => {
          const option = options.find(({ id }) => id === target.value);
          onChoose(
            option && { scope, id: option.id, name: `${scope} ${visibleText(option.name)}` },
          );
        }}
      >
        <option value={UNCHOSEN}>Choose …</option>
        {options.map(({ id, name }) => (
          <option key={id} value={id}>
            {visibleText(name)}
          </option>
        ))}
      </select>
    </Field>
  );
}

function wordOf(scope: ListedScope): string {
  return WORDS[scope] ?? scope;
}

function searchFor(part: string): { limit: string; display_name_like?: string } {
  return part === '' ? { limit: '100' } : { limit: '100', display_name_like: part };
}
