import { useState } from 'react';
import { CopyableId } from '../../design/copyable-id.js';
import { Fact, Facts, Field, Name, Quiet } from '../../design/pieces.js';
import { ConfirmedChange } from '../../vault/confirmed-change.js';
import { useChange } from '../../vault/vault-queries.js';
import type { FirstVault, FirstWallet } from './first-things.js';
import { StepPanel } from './step-panel.js';

interface WithVault {
  readonly vault: FirstVault | undefined;
}

export function VaultStep({ vault }: WithVault) {
  return (
    <StepPanel number={3} title="A vault" isDone={vault !== undefined}>
      {vault === undefined ? (
        <NewVault />
      ) : (
        <Facts>
          <Fact name="Your first vault">
            <Name text={vault.display_name} />
          </Fact>
        </Facts>
      )}
    </StepPanel>
  );
}

function NewVault() {
  const [name, setName] = useState('Treasury');
  const create = useChange((calls) =>
    calls.call('create-vault', { body: { display_name: name.trim() } }),
  );
  return (
    <>
      <Quiet>A vault holds wallets. It is permanent: it can be frozen, never deleted.</Quiet>
      <Field label="Name of the vault">
        <input value={name} maxLength={128} onChange={({ target }) => setName(target.value)} />
      </Field>
      <ConfirmedChange
        label={`Create vault ${name.trim()}`}
        disabledBecause={name.trim() === '' ? 'Give it a name first.' : undefined}
        change={create}
      />
    </>
  );
}

export function WalletStep({
  vault,
  wallet,
}: WithVault & { readonly wallet: FirstWallet | undefined }) {
  return (
    <StepPanel number={4} title="A wallet" isDone={wallet !== undefined}>
      {wallet !== undefined && (
        <Facts>
          <Fact name="Address">
            <CopyableId text={wallet.address} what="address" />
          </Fact>
          <Fact name="Chain">{wallet.network_family}</Fact>
        </Facts>
      )}
      {wallet === undefined && vault === undefined && <Quiet>It needs the vault first.</Quiet>}
      {wallet === undefined && vault !== undefined && <NewWallet vault={vault} />}
    </StepPanel>
  );
}

function NewWallet({ vault }: { readonly vault: FirstVault }) {
  const create = useChange((calls) =>
    calls.call('create-wallet', {
      params: { vault_id: vault.id },
      body: { network_family: 'solana', display_name: 'First wallet' },
    }),
  );
  return (
    <>
      <Quiet>The three parties make its key together: nobody ever has the whole of it.</Quiet>
      <ConfirmedChange label={`Create a Solana wallet in ${vault.display_name}`} change={create} />
    </>
  );
}
