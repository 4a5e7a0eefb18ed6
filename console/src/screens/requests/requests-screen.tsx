/** Every request that waits or waited, and what became of it. */
import { SIGNING_OPERATIONS } from '@countersign/api/operations/signing.js';
import { Link } from '@tanstack/react-router';
import { useState } from 'react';
import { Choice } from '../../design/choice.js';
import { Quiet, Screen, Time } from '../../design/pieces.js';
import type { Column } from '../../design/data-table.js';
import { RowTable } from '../../vault/row-table.js';
import { UserName } from '../../vault/names.js';
import { RequestId } from '../../vault/request-id.js';
import { useRows } from '../../vault/vault-queries.js';
import { FindRequest } from './find-request.js';
import { summaryOf } from './request-content.js';
import { RequestTitle } from './request-title.js';
import { ReviewLink, useIsAwaited } from './review-link.js';
import type { RequestRecord } from './shown-record.js';
import { StatusBadge } from './status-badge.js';

const STATUSES = {
  all: 'All',
  processing: 'processing',
  completed: 'completed',
  failed: 'failed',
  rejected: 'rejected',
  expired: 'expired',
  cancelled: 'cancelled',
} as const;
const LOOK_MS = 10_000;
/** Of the audit log: those that were refused, too. */
const SIGNATURES = { actions: SIGNING_OPERATIONS.map(({ id }) => id).join(',') };

export function RequestsScreen() {
  const [status, setStatus] = useState<keyof typeof STATUSES>('all');
  const query = { limit: '100', ...(status !== 'all' && { status }) };
  const list = useRows('list-requests', { query }, { everyMs: LOOK_MS });
  const isAwaited = useIsAwaited();
  return (
    <Screen
      title="Requests"
      lead={
        <>
          What a policy made wait, oldest first: your own, those that you may approve, and all where
          you may look at the system. “Completed” means signed here: whether the venue took the
          order is not known.
        </>
      }
    >
      <p>
        What was signed or refused at once never waited and is not in this list. It is among{' '}
        <Link to="/audit" search={SIGNATURES}>
          all signatures, newest first
        </Link>
        .
      </p>
      <FindRequest />
      <Choice label="Status" options={STATUSES} value={status} onChange={setStatus} />
      <RowTable
        caption="Requests"
        columns={columnsOf(isAwaited)}
        list={list}
        idOf={({ request_id: id }) => id}
        empty={
          <>
            <strong>No such request.</strong>
            <Quiet>To make a kind of request wait, let a policy ask for approvals.</Quiet>
          </>
        }
      />
    </Screen>
  );
}

const columnsOf = (
  isAwaited: ReturnType<typeof useIsAwaited>,
): readonly Column<RequestRecord>[] => [
  {
    title: 'What',
    sortBy: summaryOf,
    isText: true,
    cell: (record) => (
      <Link to="/requests/$requestId" params={{ requestId: record.request_id }}>
        <RequestTitle record={record} />
      </Link>
    ),
  },
  {
    title: 'Status',
    cell: (record) => <StatusBadge record={record} />,
    sortBy: ({ status, phase }) => `${status} ${phase ?? ''}`,
  },
  { title: 'Asked by', cell: ({ created_by: by }) => <UserName id={by} /> },
  {
    title: 'Asked',
    cell: ({ created_at: at }) => <Time at={at} />,
    sortBy: ({ created_at: at }) => at,
  },
  { title: 'Request', cell: ({ request_id: id }) => <RequestId id={id} /> },
  {
    title: 'Your approval',
    cell: (record) =>
      isAwaited(record.request_id) === true ? <ReviewLink record={record} /> : '–',
  },
];
