/** Which batch an item is of, and which items a batch has. */
import { Link } from '@tanstack/react-router';
import { itemIdOf } from '@countersign/core/batch-item.js';
import { DataTable, type Column } from '../../design/data-table.js';
import { Badge, Fact, Panel } from '../../design/pieces.js';
import type { RequestRecord } from './shown-record.js';
import { StatusBadge } from './status-badge.js';

type Batch = NonNullable<RequestRecord['batch']>;

interface BatchFactProps {
  readonly batch: Batch;
  readonly itemId: string;
}

/** The id of an item follows from its batch and its place there: another one is the gateway's mistake, or its lie. */
export function BatchFact({ batch: { request_id: requestId, index }, itemId }: BatchFactProps) {
  return (
    <Fact name="Part of">
      Item {index + 1} of{' '}
      <Link to="/requests/$requestId" params={{ requestId }}>
        batch {requestId.slice(0, 8)}
      </Link>{' '}
      {itemIdOf(requestId, index) !== itemId && (
        <Badge mood="bad">not so: this request has another id than an item there</Badge>
      )}
    </Fact>
  );
}

type Item = NonNullable<RequestRecord['items']>[number];

export function BatchItems({ record: { items = [] } }: { readonly record: RequestRecord }) {
  if (items.length === 0) return null;
  return (
    <Panel title={`Its ${items.length} items`}>
      <DataTable
        caption="Items of the batch"
        isCompact
        columns={COLUMNS}
        rows={items}
        idOf={({ request_id: id }) => id}
      />
    </Panel>
  );
}

const COLUMNS: readonly Column<Item>[] = [
  { title: 'Item', cell: ({ index }) => index + 1 },
  {
    title: 'Request',
    isText: true,
    cell: ({ request_id: requestId }) => (
      <Link to="/requests/$requestId" params={{ requestId }}>
        {requestId.slice(0, 8)}
      </Link>
    ),
  },
  { title: 'Status', cell: ({ status }) => <StatusBadge record={{ status }} /> },
];
