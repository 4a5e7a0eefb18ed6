import { Link } from '@tanstack/react-router';
import { Unseen } from '../../design/pieces.js';
import { useAllRows } from '../../vault/vault-queries.js';
import buttons from '../../design/button.module.css';
import { summaryOf } from './request-content.js';
import type { RequestRecord } from './shown-record.js';

/** As the count in the navigation asks: one answer serves both. */
const AWAITED = { query: { awaiting_my_approval: 'true', limit: '100' } } as const;

/** Whether whoever has signed in may approve a request; undefined while not all that wait for them were read. */
export function useIsAwaited(): (requestId: string) => boolean | undefined {
  const { rows, query } = useAllRows('list-requests', AWAITED);
  const ids = new Set(rows.map(({ request_id: id }) => id));
  const isWhole = query.isSuccess && !query.hasNextPage;
  return (requestId) => ids.has(requestId) || (isWhole ? false : undefined);
}

/** To where what is approved is read in full. A list approves nothing. */
export function ReviewLink({ record }: { readonly record: RequestRecord }) {
  return (
    <Link
      to="/requests/$requestId"
      params={{ requestId: record.request_id }}
      className={`${buttons.button} ${buttons.link}`}
    >
      Review…<Unseen> {summaryOf(record)}</Unseen>
    </Link>
  );
}
