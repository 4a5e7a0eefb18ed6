/** The address book: destinations with names, in lists that rules name. */
import { useState } from 'react';
import { Button } from '../../design/button.js';
import { CopyableId } from '../../design/copyable-id.js';
import type { Column } from '../../design/data-table.js';
import { NameSearch } from '../../design/name-search.js';
import { Name, Quiet, Row, Screen, Time, Unseen } from '../../design/pieces.js';
import { visibleText } from '../../design/visible-text.js';
import { RowTable } from '../../vault/row-table.js';
import { useRows } from '../../vault/vault-queries.js';
import { AddressListDialog, DeleteAddressListDialog } from './address-list-dialogs.js';
import type { AddressList } from './address-list-form.js';

type Opened = 'new' | { readonly act: 'edit' | 'delete'; readonly list: AddressList };

export function AddressBookScreen() {
  const [opened, setOpened] = useState<Opened>();
  const [part, setPart] = useState('');
  const query = { limit: '100', ...(part !== '' && { display_name_like: part }) };
  const lists = useRows('list-address-lists', { query });
  const close = () => setOpened(undefined);
  return (
    <Screen
      title="Address book"
      lead="Destinations with names, in lists. A rule that names a list goes by what stands in it; a list changes under the same approvals as signing policies."
    >
      <Row>
        <Button kind="main" onPress={() => setOpened('new')}>
          New list…
        </Button>
      </Row>
      <NameSearch part={part} onChange={setPart} />
      <RowTable
        caption="Address lists"
        columns={columnsWith(setOpened)}
        list={lists}
        idOf={({ id }) => id}
        empty={
          <>
            <strong>{part === '' ? 'There is no list yet.' : 'No list has such a name.'}</strong>
            <Quiet>
              Make one of the addresses that your desk pays to. Then name it in a rule, under
              “Destinations in lists”.
            </Quiet>
          </>
        }
      />
      {opened === 'new' && <AddressListDialog onClose={close} />}
      {typeof opened === 'object' && opened.act === 'edit' && (
        <AddressListDialog before={opened.list} onClose={close} />
      )}
      {typeof opened === 'object' && opened.act === 'delete' && (
        <DeleteAddressListDialog list={opened.list} onClose={close} />
      )}
    </Screen>
  );
}

const MOST_SHOWN = 5;

const columnsWith = (open: (opened: Opened) => void): readonly Column<AddressList>[] => [
  {
    title: 'Name',
    cell: ({ display_name: name }) => <Name text={name} />,
    sortBy: ({ display_name: name }) => name,
  },
  { title: 'Addresses', isText: true, cell: ({ entries }) => <Entries entries={entries} /> },
  {
    title: 'Last changed',
    cell: ({ last_updated_at: at }) => <Time at={at} />,
    sortBy: ({ last_updated_at: at }) => at,
  },
  {
    title: 'Acts',
    cell: (list) => {
      const of = <Unseen> {visibleText(list.display_name)}</Unseen>;
      return (
        <Row>
          <Button onPress={() => open({ act: 'edit', list })}>Edit…{of}</Button>
          <Button onPress={() => open({ act: 'delete', list })}>Delete…{of}</Button>
        </Row>
      );
    },
  },
];

function Entries({ entries }: Pick<AddressList, 'entries'>) {
  const more = entries.length - MOST_SHOWN;
  return (
    <>
      {entries.slice(0, MOST_SHOWN).map(({ address, display_name: name }) => (
        <div key={address}>
          <Name text={name} />{' '}
          <CopyableId text={visibleText(address)} what={`address of ${visibleText(name)}`} />
        </div>
      ))}
      {more > 0 && <Quiet>and {more} more</Quiet>}
    </>
  );
}
