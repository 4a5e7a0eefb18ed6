/** Every freeze in force, and how to lift it. */
import { Link } from '@tanstack/react-router';
import { useState } from 'react';
import { Button } from '../../design/button.js';
import { localMinute } from '../../design/local-minute.js';
import { Name, Quiet, Screen, Time } from '../../design/pieces.js';
import type { Column } from '../../design/data-table.js';
import { RowTable } from '../../vault/row-table.js';
import { UserName } from '../../vault/names.js';
import { useRows } from '../../vault/vault-queries.js';
import { auditFiltersOf } from './audit-filters-of.js';
import { targetOf, type FreezeInForce } from './freeze-scopes.js';
import { FrozenThing } from './frozen-thing.js';
import { UnfreezeDialog } from './unfreeze-dialog.js';

const LOOK_MS = 10_000;

export function FreezesScreen() {
  const [lifting, setLifting] = useState<FreezeInForce>();
  const list = useRows('list-freezes', { query: { limit: '100' } }, { everyMs: LOOK_MS });
  return (
    <Screen
      title="Freezes"
      lead="What is stopped now, since when and by whom. A freeze has no end of its own. To lift one, press Unfreeze: that says whether it waits for approvals before you sign it."
    >
      <RowTable
        caption="Freezes in force"
        columns={columnsWith(setLifting)}
        list={list}
        idOf={({ scope, id }) => `${scope} ${id}`}
        empty={
          <>
            <strong>Nothing is frozen.</strong>
            <Quiet>
              “Freeze…”, at the top of every page, stops a key, user, venue, vault, wallet or all.
            </Quiet>
          </>
        }
      />
      {lifting !== undefined && (
        <UnfreezeDialog freeze={lifting} onClose={() => setLifting(undefined)} />
      )}
    </Screen>
  );
}

function columnsWith(lift: (freeze: FreezeInForce) => void): readonly Column<FreezeInForce>[] {
  return [
    { title: 'Frozen', isText: true, cell: (freeze) => <FrozenThing freeze={freeze} /> },
    { title: 'Since', cell: ({ at }) => <Time at={at} />, sortBy: ({ at }) => at },
    { title: 'By', cell: ({ by }) => <UserName id={by} /> },
    {
      title: 'Why',
      isText: true,
      cell: ({ reason }) => (reason === null ? 'not said' : <Name text={reason} />),
    },
    { title: 'What it stopped', cell: (freeze) => <StoppedLink freeze={freeze} /> },
    {
      title: 'Lift',
      cell: (freeze) => <Button onPress={() => lift(freeze)}>Unfreeze…</Button>,
    },
  ];
}

/** To what was refused since then in the audit log, which has no filter for venues. */
function StoppedLink({ freeze }: { readonly freeze: FreezeInForce }) {
  const search = auditFiltersOf(targetOf(freeze));
  const at = new Date(freeze.at);
  const since = { outcome: 'denied', from: localMinute(at.getTime(), at.getTimezoneOffset()) };
  return (
    <Link to="/audit" search={{ ...search, ...since }}>
      Refused since then
    </Link>
  );
}
