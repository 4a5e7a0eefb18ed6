import { Link } from '@tanstack/react-router';
import { Unseen } from '../../design/pieces.js';
import { useRows } from '../../vault/vault-queries.js';
import buttons from '../../design/button.module.css';
import { summaryOf } from './request-content.js';
import type { RequestRecord } from './shown-record.js';

/** As the count in the navigation asks: one answer serves both. */
const AWAITED = { query: { awaiting_my_approval: 'true', limit: '100' } } as const;

/** Ids of the requests that whoever has signed in may approve. */
export function useAwaited(): ReadonlySet<string> {
  const { rows } = useRows('list-requests', AWAITED);
  return new Set(rows.map(({ request_id: id }) => id));
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
