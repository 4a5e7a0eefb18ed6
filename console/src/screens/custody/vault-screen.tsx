/** One vault and its wallets. */
import { Link, useParams } from '@tanstack/react-router';
import { useState } from 'react';
import type { PinnedVault } from '@countersign/client/pinned-vault.js';
import type { OperationValue } from '@countersign/client/operation-calls.js';
import { Button } from '../../design/button.js';
import { ConfirmedChange } from '../../vault/confirmed-change.js';
import { Choice } from '../../design/choice.js';
import { Dialog } from '../../design/dialog.js';
import { CopyableId } from '../../design/copyable-id.js';
import { Badge, Fact, Facts, Field, Name, Panel, Quiet, Row, Screen } from '../../design/pieces.js';
import { Fault } from '../../vault/fault.js';
import type { Column } from '../../design/data-table.js';
import { RowTable } from '../../vault/row-table.js';
import { visibleText } from '../../design/visible-text.js';
import { useChange, useRead, useRows } from '../../vault/vault-queries.js';
import { keptGenesis } from '../../vault/trusted-genesis.js';
import { isAddressAttested, type ListedWallet } from './address-check.js';
import { walletQuery } from '../../vault/wallet-query.js';
import { GenesisPanel } from './genesis-panel.js';
import { RemoveWalletDialog } from './remove-wallet-dialog.js';
import { CustodyState } from './custody-state.js';

type Vault = OperationValue<'get-vault'>;

export function VaultScreen() {
  const { vaultId } = useParams({ strict: false }) as { vaultId: string };
  const { data: vault, error } = useRead('get-vault', { params: { vault_id: vaultId } });
  if (vault !== undefined) return <LoadedVault vault={vault} />;
  return (
    <Screen title="Vault">
      <Fault error={error} />
      {error === null && <Quiet>Loading the vault …</Quiet>}
    </Screen>
  );
}

function LoadedVault({ vault }: { readonly vault: Vault }) {
  const [pinned, setPinned] = useState(keptGenesis);
  return (
    <Screen title={visibleText(vault.display_name)}>
      <Row>
        <Link to="/vaults">All vaults</Link>
        <Link to="/audit" search={{ vault_ids: vault.id }}>
          What was done with it
        </Link>
      </Row>
      <Facts>
        <Fact name="State">
          <CustodyState thing={vault} own="vault" />{' '}
          {vault.frozen_by.length > 0 && <Link to="/freezes">Why, and how it is lifted</Link>}
        </Fact>
        <Fact name="Id">
          <CopyableId text={vault.id} what="vault id" />
        </Fact>
      </Facts>
      <WalletsPanel vault={vault} pinned={pinned} />
      <GenesisPanel pinned={pinned} onPin={setPinned} />
    </Screen>
  );
}

interface WalletsPanelProps {
  readonly vault: Vault;
  readonly pinned: PinnedVault | undefined;
}

function WalletsPanel({ vault, pinned }: WalletsPanelProps) {
  const [isMaking, setMaking] = useState(false);
  const [removing, setRemoving] = useState<ListedWallet>();
  const [part, setPart] = useState('');
  const params = { vault_id: vault.id };
  const wallets = useRows('list-wallets', { params, query: walletQuery(part.trim()) });
  return (
    <Panel title="Wallets">
      <Field label="Part of a name, or an address">
        <input
          type="search"
          value={part}
          maxLength={128}
          onChange={({ target }) => setPart(target.value)}
        />
      </Field>
      <RowTable
        caption="Wallets"
        columns={columnsFor(pinned, setRemoving)}
        list={wallets}
        idOf={({ id }) => id}
        empty={
          <>
            <strong>{part === '' ? 'No wallet yet.' : 'This vault has no such wallet.'}</strong>
            <Quiet>Make one: its key is generated among the three parties.</Quiet>
          </>
        }
      />
      <Row>
        <Button onPress={() => setMaking(true)}>
          New wallet in {visibleText(vault.display_name)}…
        </Button>
      </Row>
      {removing !== undefined && (
        <RemoveWalletDialog wallet={removing} onClose={() => setRemoving(undefined)} />
      )}
      {isMaking && <NewWalletDialog vault={vault} onClose={() => setMaking(false)} />}
    </Panel>
  );
}

const columnsFor = (
  pinned: PinnedVault | undefined,
  remove: (wallet: ListedWallet) => void,
): readonly Column<ListedWallet>[] => [
  {
    title: 'Name',
    cell: ({ display_name: name }) => <Name text={name} />,
    sortBy: ({ display_name: name }) => name,
  },
  {
    title: 'Family',
    cell: ({ network_family: family }) => family,
    sortBy: ({ network_family: family }) => family,
  },
  { title: 'Address', cell: ({ address }) => <CopyableId text={address} what="address" /> },
  { title: 'Checked', cell: (wallet) => <Checked wallet={wallet} pinned={pinned} /> },
  {
    title: 'State',
    cell: (wallet) => <CustodyState thing={wallet} own="wallet" />,
    sortBy: ({ status }) => status,
  },
  {
    title: 'Remove',
    cell: (wallet) =>
      wallet.status === 'frozen' ? (
        <Button onPress={() => remove(wallet)}>Remove…</Button>
      ) : (
        'once frozen'
      ),
  },
];

interface CheckedProps {
  readonly wallet: ListedWallet;
  readonly pinned: PinnedVault | undefined;
}

function Checked({ wallet, pinned }: CheckedProps) {
  if (pinned === undefined) return <Badge mood="warn">not checked</Badge>;
  return isAddressAttested(wallet, pinned) ? (
    <Badge mood="good">by three parties</Badge>
  ) : (
    <Badge mood="bad">not theirs: send nothing</Badge>
  );
}

interface NewWalletDialogProps {
  readonly vault: Vault;
  readonly onClose: () => void;
}

function NewWalletDialog({ vault, onClose }: NewWalletDialogProps) {
  const [family, setFamily] = useState('');
  const [name, setName] = useState('');
  const { data: catalogue } = useRead('get-system-info', {});
  const create = useChange((calls) =>
    calls.call('create-wallet', {
      params: { vault_id: vault.id },
      body: {
        network_family: family as never,
        ...(name.trim() !== '' && { display_name: name.trim() }),
      },
    }),
  );
  if (create.isSuccess) {
    return (
      <Dialog title="Wallet made" onClose={onClose}>
        <p role="status">
          Its address is <CopyableId text={create.data.address} what="address" />.
        </p>
      </Dialog>
    );
  }
  const vaultName = visibleText(vault.display_name);
  return (
    <Dialog title={`New wallet in ${vaultName}`} onClose={onClose}>
      <Choice
        label="Family of networks"
        options={Object.fromEntries(
          (catalogue?.supported_blockchain_networks ?? []).map((one) => [
            one.family,
            one.display_name,
          ]),
        )}
        value={family}
        onChange={setFamily}
      />
      <Field label="Name (optional)">
        <input value={name} maxLength={128} onChange={({ target }) => setName(target.value)} />
      </Field>
      <ConfirmedChange
        label={`Make a wallet in ${vaultName}`}
        disabledBecause={family === '' ? 'Choose a family first.' : undefined}
        change={create}
      />
    </Dialog>
  );
}
