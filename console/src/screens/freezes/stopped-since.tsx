/** What a freeze has stopped: refused requests of the audit log, the newest first, as they come in. */
import { Link } from '@tanstack/react-router';
import { useState } from 'react';
import type { OperationValue } from '@countersign/client/operation-calls.js';
import { DataTable, type Column } from '../../design/data-table.js';
import { Fault } from '../../vault/fault.js';
import { Name, Quiet, Time } from '../../design/pieces.js';
import { UserName } from '../../vault/names.js';
import { ReasonText } from '../../vault/reason-text.js';
import { useSession } from '../../session/session-store.js';
import { useRows } from '../../vault/vault-queries.js';
import { auditFiltersOf } from './audit-filters-of.js';
import type { FreezeTarget } from './freeze-scopes.js';

type AuditEntry = OperationValue<'list-audit-logs'>['results'][number];

const LOOK_MS = 2_000;
const SHOWN = 10;
/** The vault's clock and this one differ by less. */
const LEEWAY_MS = 2_000;

/** From now on. Of a venue the log has no filter: who looks for its keys finds them there. */
export function StoppedSince({ target }: { readonly target: FreezeTarget }) {
  const { clockOffsetMs } = useSession();
  const [from] = useState(() => new Date(Date.now() + clockOffsetMs - LEEWAY_MS).toISOString());
  const filters = auditFiltersOf(target);
  const { rows, query } = useRows(
    'list-audit-logs',
    { query: { ...filters, outcome: 'denied', from, limit: String(SHOWN) } },
    { everyMs: LOOK_MS, isWanted: filters !== undefined, stopsWhereRefused: true },
  );
  if (filters === undefined) {
    return (
      <Quiet>
        What it stops is in the <Link to="/audit">audit log</Link>, by its keys.
      </Quiet>
    );
  }
  return (
    <>
      <h3>What it has stopped since</h3>
      <Fault error={query.error} />
      {rows.length === 0 && query.error === null && (
        <Quiet>Nothing so far. It is looked at all the time.</Quiet>
      )}
      {rows.length > 0 && (
        <DataTable
          caption="What it has stopped since"
          isCompact
          columns={COLUMNS}
          rows={rows.slice(0, SHOWN)}
          idOf={({ hash }) => hash}
        />
      )}
    </>
  );
}

const COLUMNS: readonly Column<AuditEntry>[] = [
  { title: 'When', cell: ({ time }) => <Time at={time} /> },
  {
    title: 'Who',
    cell: ({ actor }) => (/^[0-9a-f-]{36}$/.test(actor) ? <UserName id={actor} /> : actor),
  },
  {
    title: 'What',
    isText: true,
    cell: ({ action, details: { reason } }) => (
      <>
        <Name text={action} />
        {typeof reason === 'string' && (
          <Quiet>
            <ReasonText text={reason} />
          </Quiet>
        )}
      </>
    ),
  },
];
