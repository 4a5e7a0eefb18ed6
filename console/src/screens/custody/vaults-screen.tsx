/** Vaults, and a new one. */
import { Link } from '@tanstack/react-router';
import { useState } from 'react';
import type { OperationValue } from '@countersign/client/operation-calls.js';
import { Button } from '../../design/button.js';
import { NameSearch } from '../../design/name-search.js';
import { ConfirmedChange } from '../../vault/confirmed-change.js';
import { Dialog } from '../../design/dialog.js';
import { Field, Name, Quiet, Row, Screen, Time } from '../../design/pieces.js';
import type { Column } from '../../design/data-table.js';
import { RowTable } from '../../vault/row-table.js';
import { visibleText } from '../../design/visible-text.js';
import { useChange, useRows } from '../../vault/vault-queries.js';
import { CustodyState } from './custody-state.js';

type ListedVault = OperationValue<'list-vaults'>['results'][number];

export function VaultsScreen() {
  const [part, setPart] = useState('');
  const [isMaking, setMaking] = useState(false);
  const query = { limit: '100', ...(part !== '' && { display_name_like: part }) };
  const vaults = useRows('list-vaults', { query });
  return (
    <Screen title="Vaults" lead="Wallets in groups: who may administer them is said by vault.">
      <Row>
        <Button kind="main" onPress={() => setMaking(true)}>
          New vault…
        </Button>
      </Row>
      <NameSearch part={part} onChange={setPart} />
      <RowTable
        caption="Vaults"
        columns={COLUMNS}
        list={vaults}
        idOf={({ id }) => id}
        empty={
          <>
            <strong>{part === '' ? 'There is no vault yet.' : 'No vault is called so.'}</strong>
            <Quiet>Make one, then give it a wallet: that is where deposits go.</Quiet>
          </>
        }
      />
      {isMaking && <NewVaultDialog onClose={() => setMaking(false)} />}
    </Screen>
  );
}

const COLUMNS: readonly Column<ListedVault>[] = [
  {
    title: 'Name',
    sortBy: ({ display_name: name }) => name,
    cell: ({ id, display_name: name }) => (
      <Link to="/vaults/$vaultId" params={{ vaultId: id }}>
        <Name text={name} />
      </Link>
    ),
  },
  {
    title: 'Wallets',
    cell: ({ wallet_count: count }) => count,
    sortBy: ({ wallet_count: count }) => count,
  },
  {
    title: 'State',
    cell: (vault) => <CustodyState thing={vault} own="vault" />,
    sortBy: ({ status }) => status,
  },
  {
    title: 'Since',
    cell: ({ created_at: at }) => <Time at={at} />,
    sortBy: ({ created_at: at }) => at,
  },
];

function NewVaultDialog({ onClose }: { readonly onClose: () => void }) {
  const [name, setName] = useState('');
  const create = useChange((calls) =>
    calls.call('create-vault', { body: { display_name: name.trim() } }),
  );
  if (create.isSuccess) {
    return (
      <Dialog title="Vault made" onClose={onClose}>
        <p role="status">{visibleText(name)} is a vault now. Open it to give it a wallet.</p>
      </Dialog>
    );
  }
  return (
    <Dialog title="New vault" onClose={onClose}>
      <Field label="Name">
        <input value={name} maxLength={128} onChange={({ target }) => setName(target.value)} />
      </Field>
      <ConfirmedChange
        label={`Make vault ${visibleText(name.trim())}`}
        disabledBecause={name.trim() === '' ? 'Give it a name first.' : undefined}
        change={create}
      />
    </Dialog>
  );
}
