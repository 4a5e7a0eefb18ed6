/** What an order says, term by term, each with its place in the request; and everything else that stands there. */
import { Badge, Fact, Facts, Name, Quiet } from '../../design/pieces.js';
import { visibleText } from '../../design/visible-text.js';
import {
  orderIn,
  rowsOf,
  unboundParts,
  type OrderRead,
  type OrderReadHere,
  type TermRow,
} from './order-reading.js';
import type { RequestRecord } from './shown-record.js';

/** Nothing where no venue is asked. */
export function OrderPanel({ record }: { readonly record: RequestRecord }) {
  const reading = orderIn(record);
  return reading === undefined ? null : (
    <Reading reading={reading} prices={record.receipt?.prices} />
  );
}

interface ReadingProps {
  readonly reading: OrderRead;
  readonly prices: NonNullable<RequestRecord['receipt']>['prices'];
}

function Reading({ reading, prices }: ReadingProps) {
  if ('unreadable' in reading) {
    return (
      <>
        <h3>The order cannot be read here</h3>
        <Quiet>{visibleText(reading.unreadable)}: judge it by its bytes.</Quiet>
      </>
    );
  }
  const orders = rowsOf(reading, prices);
  const isOne = orders.length <= 1;
  return (
    <>
      <h3>{isOne ? 'The order' : `The ${orders.length} orders`}, read here</h3>
      <OtherReading differsIn={reading.differsIn} />
      <WhatItDoes reading={reading} />
      {orders.map((rows, place) => {
        const title = `Order ${place + 1}`;
        return <Terms key={title} rows={rows} title={isOne ? undefined : title} />;
      })}
      <Others reading={reading} />
      <Unbound parts={unboundParts(reading)} />
    </>
  );
}

interface PartProps {
  readonly reading: OrderReadHere;
}

function OtherReading({ differsIn }: Pick<OrderReadHere, 'differsIn'>) {
  if (differsIn.length === 0) return null;
  return (
    <p role="alert">
      <Badge mood="bad">another reading</Badge> The gateway says otherwise of its{' '}
      {differsIn.join(', ')} than these bytes do: do not approve it, and raise an alarm.
    </p>
  );
}

function WhatItDoes({ reading: { facts, endpoint } }: PartProps) {
  const { operationClass, unknownBecause, destinations } = facts;
  return (
    <Facts>
      <Fact name="As a request to">{facts.venueId}</Fact>
      <Fact name="Does there">
        {operationClass}
        {unknownBecause !== undefined && <Name text={`: ${unknownBecause}`} />}
      </Fact>
      {destinations !== undefined && (
        <Fact name="Goes to">
          <Name text={destinations.join(', ')} />
        </Fact>
      )}
      <Fact name="Endpoint, read here">{endpoint === '' ? 'none' : endpoint}</Fact>
    </Facts>
  );
}

function Others({ reading: { others } }: PartProps) {
  if (others.length === 0) return null;
  const rows = others.map(({ name, value, from }) => ({
    title: name === '' ? `the whole ${from}` : name,
    value,
    source: `in its ${from}`,
  }));
  return <Terms title="Everything else in it, as it stands there" rows={rows} />;
}

function Terms({
  rows,
  title,
}: {
  readonly rows: readonly TermRow[];
  readonly title?: string | undefined;
}) {
  return (
    <>
      {title !== undefined && <h3>{title}</h3>}
      <Facts>
        {rows.map(({ title: name, value, unit, source }) => (
          <Fact key={`${name} ${source} ${value}`} name={name}>
            <strong>
              <Name text={value} />
            </strong>{' '}
            {unit !== undefined && `${unit} `}({source})
          </Fact>
        ))}
      </Facts>
    </>
  );
}

function Unbound({ parts }: { readonly parts: readonly string[] }) {
  if (parts.length === 0) return null;
  return (
    <p>
      <Badge mood="warn">not bound</Badge> The venue checks the signature without{' '}
      {parts.join(' and ')}: whoever has the signed request could send it with another. It is so
      with every such request to this venue, and no fault of this one.
    </p>
  );
}
