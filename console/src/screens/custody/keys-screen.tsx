/** Keys: what they are for, how they are held, and what can be done with them. */
import { Link } from '@tanstack/react-router';
import { useState } from 'react';
import type { OperationValue } from '@countersign/client/operation-calls.js';
import { Button } from '../../design/button.js';
import { NameSearch } from '../../design/name-search.js';
import { Name, Quiet, Row, Screen, Time } from '../../design/pieces.js';
import type { Column } from '../../design/data-table.js';
import { RowTable } from '../../vault/row-table.js';
import { useRows } from '../../vault/vault-queries.js';
import { CustodyState } from './custody-state.js';
import { NewKeyDialog } from './new-key-dialog.js';

export type ListedKey = OperationValue<'list-keys'>['results'][number];

export function KeysScreen() {
  const [part, setPart] = useState('');
  const [isMaking, setMaking] = useState(false);
  const query = { limit: '100', ...(part !== '' && { display_name_like: part }) };
  const keys = useRows('list-keys', { query });
  return (
    <Screen
      title="Keys"
      lead="No party holds a whole key that was generated here. A key signs nothing before a policy of a security group that it is in allows it."
    >
      <Row>
        <Button kind="main" onPress={() => setMaking(true)}>
          New key…
        </Button>
      </Row>
      <NameSearch part={part} onChange={setPart} />
      <RowTable
        caption="Keys"
        columns={COLUMNS}
        list={keys}
        idOf={({ id }) => id}
        empty={
          <>
            <strong>{part === '' ? 'There is no key yet.' : 'No key is called so.'}</strong>
            <Quiet>
              Make one here. A secret that a venue gave you is imported by{' '}
              <code>countersign keys import</code>, so that it never passes through a page.
            </Quiet>
          </>
        }
      />
      {isMaking && <NewKeyDialog onClose={() => setMaking(false)} />}
    </Screen>
  );
}

const COLUMNS: readonly Column<ListedKey>[] = [
  {
    title: 'Name',
    sortBy: ({ display_name: name }) => name,
    cell: ({ id, display_name: name }) => (
      <Link to="/keys/$keyId" params={{ keyId: id }}>
        <Name text={name} />
      </Link>
    ),
  },
  {
    title: 'Kind',
    cell: kindOf,
    sortBy: kindOf,
  },
  { title: 'Custody', cell: ({ custody }) => custody, sortBy: ({ custody }) => custody },
  {
    title: 'Venue',
    cell: ({ venue_id: venue }) => venue ?? 'none',
    sortBy: ({ venue_id: venue }) => venue ?? undefined,
  },
  {
    title: 'State',
    cell: (key) => <CustodyState thing={key} own="key" />,
    sortBy: ({ status }) => status,
  },
  {
    title: 'Since',
    cell: ({ created_at: at }) => <Time at={at} />,
    sortBy: ({ created_at: at }) => at,
  },
];

/** With its scheme, where the type has several. */
function kindOf({ type, scheme }: Pick<ListedKey, 'type' | 'scheme'>): string {
  return type === scheme ? type : `${type}, ${scheme}`;
}
