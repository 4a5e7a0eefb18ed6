/** The order in a request. The venues' tables are loaded where one is looked at. */
import { lazy, Suspense } from 'react';
import { Quiet } from '../../design/pieces.js';
import type { RequestRecord } from './shown-record.js';

const OrderPanel = lazy(async () => ({
  default: (await import('./order-panel.js')).OrderPanel,
}));

export function OrderInRequest({ record }: { readonly record: RequestRecord }) {
  return (
    <Suspense fallback={<Quiet>Reading what is asked of a venue …</Quiet>}>
      <OrderPanel record={record} />
    </Suspense>
  );
}
