/** The order or the transaction in a request. What reads it is loaded where one is looked at. */
import { lazy, Suspense } from 'react';
import { Quiet } from '../../design/pieces.js';
import { asksTransaction } from './request-content.js';
import type { RequestRecord } from './shown-record.js';

const OrderPanel = lazy(async () => ({
  default: (await import('./order-panel.js')).OrderPanel,
}));
const TransactionPanel = lazy(async () => ({
  default: (await import('./transaction-panel.js')).TransactionPanel,
}));

export function OrderInRequest({ record }: { readonly record: RequestRecord }) {
  return (
    <Suspense fallback={<Quiet>Reading what is asked …</Quiet>}>
      {asksTransaction(record) ? (
        <TransactionPanel record={record} />
      ) : (
        <OrderPanel record={record} />
      )}
    </Suspense>
  );
}
