/** What a request that waits is worth, in a cell of a list: in US dollars where the gateway values it. */
import { lazy, Suspense } from 'react';
import { asksVenue } from './request-content.js';
import type { RequestRecord } from './shown-record.js';

const WorthByItsPrice = lazy(async () => {
  const { worthIn } = await import('./order-reading.js');
  return {
    default: ({ record }: RequestWorthProps) => <>{worthIn(record) ?? NONE}</>,
  };
});

interface RequestWorthProps {
  readonly record: RequestRecord;
}

const NONE = '–';

/** Otherwise by the order's own price, read here: what reads it is loaded where an order waits. */
export function RequestWorth({ record }: RequestWorthProps) {
  const usd = record.facts?.usd_value?.value;
  if (usd !== undefined) return <>{usd} USD</>;
  if (!asksVenue(record)) return NONE;
  return (
    <Suspense fallback="…">
      <WorthByItsPrice record={record} />
    </Suspense>
  );
}
