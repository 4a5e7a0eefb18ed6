/** What waits for the approval of whoever has signed in. */
import { Link } from '@tanstack/react-router';
import { Badge, Quiet, Screen, Time } from '../../design/pieces.js';
import type { Column } from '../../design/data-table.js';
import { RowTable } from '../../vault/row-table.js';
import { UserName } from '../../vault/names.js';
import { useRows } from '../../vault/vault-queries.js';
import { summaryOf } from '../requests/request-content.js';
import { RequestWorth } from '../requests/request-worth.js';
import { ReviewLink } from '../requests/review-link.js';
import type { RequestRecord } from '../requests/shown-record.js';

const LOOK_MS = 5_000;

export function ApprovalsScreen() {
  const query = { awaiting_my_approval: 'true', limit: '100' } as const;
  const list = useRows('list-requests', { query }, { everyMs: LOOK_MS });
  return (
    <Screen
      title="Approvals"
      lead="Requests that a policy lets through only with your approval. Open one to see what you would sign for."
    >
      <RowTable
        caption="Requests that wait for you"
        columns={COLUMNS}
        list={list}
        idOf={({ request_id: id }) => id}
        empty={
          <>
            <strong>Nothing waits for you.</strong>
            <Quiet>
              A request appears here when a policy names you as an approver and somebody asks for
              what it covers. What waits for others is under <Link to="/requests">Requests</Link>.
            </Quiet>
          </>
        }
      />
    </Screen>
  );
}

const COLUMNS: readonly Column<RequestRecord>[] = [
  {
    title: 'What',
    sortBy: summaryOf,
    isText: true,
    cell: (record) => (
      <Link to="/requests/$requestId" params={{ requestId: record.request_id }}>
        {summaryOf(record)}
      </Link>
    ),
  },
  { title: 'Worth', cell: (record) => <RequestWorth record={record} /> },
  { title: 'Asked by', cell: ({ created_by: by }) => <UserName id={by} /> },
  {
    title: 'Asked',
    cell: ({ created_at: at }) => <Time at={at} />,
    sortBy: ({ created_at: at }) => at,
  },
  {
    title: 'Until',
    cell: ({ expires_at: at }) => (at === null ? 'no end' : <Time at={at} />),
    sortBy: ({ expires_at: at }) => at ?? undefined,
  },
  {
    title: 'Approvals',
    cell: ({ approvals: { given, required } }) => (
      <Badge mood="warn">
        {given.length} of {required}
      </Badge>
    ),
  },
  { title: 'Your approval', cell: (record) => <ReviewLink record={record} /> },
];
