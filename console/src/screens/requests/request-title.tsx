/** What a row of a list asks for, in a line: of an order that the gateway says nothing about any more, as it is read here. */
import { lazy, Suspense } from 'react';
import { useRead } from '../../vault/vault-queries.js';
import { asksVenue, signerOf, summaryOf } from './request-content.js';
import type { RequestRecord } from './shown-record.js';

const OrderTitle = lazy(async () => {
  const { titleOf } = await import('./order-reading.js');
  return {
    default: function OrderTitle({ record, keyId }: OrderTitleProps) {
      const { data: key } = useRead('get-key', { params: { key_id: keyId } });
      return <>{titleOf(record, key?.venue_id ?? undefined)}</>;
    },
  };
});

interface RequestTitleProps {
  readonly record: RequestRecord;
}

interface OrderTitleProps extends RequestTitleProps {
  readonly keyId: string;
}

export function RequestTitle({ record }: RequestTitleProps) {
  const { content, facts } = record;
  const signer = content === undefined ? undefined : signerOf(content);
  const isReadHere = facts === undefined && asksVenue(record);
  if (!isReadHere || signer === undefined || !('keyId' in signer)) return <>{summaryOf(record)}</>;
  return (
    <Suspense fallback={summaryOf(record)}>
      <OrderTitle record={record} keyId={signer.keyId} />
    </Suspense>
  );
}
