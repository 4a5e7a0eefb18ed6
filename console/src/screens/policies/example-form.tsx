/** Who asks with which key for which order: fills in the request of an evaluation. */
import { useState } from 'react';
import type { OperationValue } from '@countersign/client/operation-calls.js';
import { Field, Row } from '../../design/pieces.js';
import { visibleText } from '../../design/visible-text.js';
import { useAllRows } from '../../vault/vault-queries.js';
import { MOST, useUsersById, useUsersNamed } from './policy-queries.js';
import { exampleText, firstOrderAt, type ExampleOrder } from './example-orders.js';

type Key = OperationValue<'list-keys'>['results'][number];

interface Example {
  readonly userId: string;
  readonly key?: Key;
  readonly order?: ExampleOrder;
}

interface ExampleFormProps {
  readonly groupId: string;
  readonly onChange: (text: string) => void;
}

export function ExampleForm({ groupId, onChange }: ExampleFormProps) {
  const { rows: keys } = useAllRows('list-keys', {
    query: { ...MOST, security_group_id: groupId },
  });
  const [example, setExample] = useState<Example>({ userId: '' });
  const change = (next: Example) => {
    setExample(next);
    const { key, order, userId } = next;
    if (key !== undefined) {
      onChange(exampleText({ id: key.id, venueId: key.venue_id ?? null }, order, userId));
    }
  };
  const choose = (key: Key | undefined) => {
    const order = key && firstOrderAt(key.venue_id ?? '');
    change({ userId: example.userId, ...(key && { key }), ...(order && { order }) });
  };
  return (
    <>
      <Row>
        <AskerChoice
          userId={example.userId}
          onChange={(userId) => change({ ...example, userId })}
        />
        <Field label="With which key">
          <select
            value={example.key?.id ?? ''}
            onChange={({ target }) => choose(keys.find(({ id }) => id === target.value))}
          >
            <option value="">Choose …</option>
            <Options rows={keys} />
          </select>
        </Field>
      </Row>
      {example.order !== undefined && (
        <OrderFields order={example.order} onChange={(order) => change({ ...example, order })} />
      )}
    </>
  );
}

interface AskerChoiceProps {
  /** Empty: oneself. */
  readonly userId: string;
  readonly onChange: (userId: string) => void;
}

/** Who is chosen stays in the list, whoever is looked for. */
function AskerChoice({ userId, onChange }: AskerChoiceProps) {
  const [part, setPart] = useState('');
  const found = useUsersNamed(part.trim());
  const chosen = useUsersById(userId === '' ? [] : [userId]);
  const others = chosen.filter(({ id }) => found.every((one) => one.id !== id));
  return (
    <>
      <Field label="Find who asks by a part of their name">
        <input
          type="search"
          value={part}
          maxLength={128}
          onChange={({ target }) => setPart(target.value)}
        />
      </Field>
      <Field label="Asked by">
        <select value={userId} onChange={({ target }) => onChange(target.value)}>
          <option value="">Me</option>
          <Options rows={[...others, ...found]} />
        </select>
      </Field>
    </>
  );
}

function Options({ rows }: { readonly rows: readonly { id: string; display_name: string }[] }) {
  return rows.map(({ id, display_name: name }) => (
    <option key={id} value={id}>
      {visibleText(name)}
    </option>
  ));
}

interface OrderFieldsProps {
  readonly order: ExampleOrder;
  readonly onChange: (order: ExampleOrder) => void;
}

const TEXTS = [
  ['symbol', 'Symbol, as the venue writes it'],
  ['amount', 'Amount'],
  ['price', 'Limit price'],
] as const;

function OrderFields({ order, onChange }: OrderFieldsProps) {
  return (
    <Row>
      <Field label="Side">
        <select
          value={order.side}
          onChange={({ target }) =>
            onChange({ ...order, side: target.value === 'sell' ? 'sell' : 'buy' })
          }
        >
          <option value="buy">buy</option>
          <option value="sell">sell</option>
        </select>
      </Field>
      {TEXTS.map(([name, label]) => (
        <Field key={name} label={label}>
          <input
            value={order[name]}
            onChange={({ target }) => onChange({ ...order, [name]: target.value })}
          />
        </Field>
      ))}
    </Row>
  );
}
