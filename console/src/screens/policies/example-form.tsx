/** Who asks with which key for which order: fills in the request of an evaluation. */
import { useState } from 'react';
import type { OperationValue } from '@countersign/client/operation-calls.js';
import { Choice } from '../../design/choice.js';
import { Field, Row } from '../../design/pieces.js';
import { SearchChoice } from '../../design/search-choice.js';
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
        <SearchChoice
          label="With which key"
          options={namesOf(keys)}
          value={example.key?.id}
          onChange={(keyId) => choose(keys.find(({ id }) => id === keyId))}
          empty="Its group has no such key."
        />
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

const MYSELF = '';

/** Who is chosen stays in the list, whoever is looked for. */
function AskerChoice({ userId, onChange }: AskerChoiceProps) {
  const [part, setPart] = useState('');
  const found = useUsersNamed(part);
  const chosen = useUsersById(userId === '' ? [] : [userId]);
  return (
    <SearchChoice
      label="Asked by"
      options={{ [MYSELF]: 'Me', ...namesOf(chosen), ...namesOf(found) }}
      value={userId}
      onChange={(id) => onChange(id ?? MYSELF)}
      onSearch={setPart}
      empty="There is no such user."
    />
  );
}

function namesOf(rows: readonly { readonly id: string; readonly display_name: string }[]) {
  return Object.fromEntries(rows.map(({ id, display_name: name }) => [id, name]));
}

interface OrderFieldsProps {
  readonly order: ExampleOrder;
  readonly onChange: (order: ExampleOrder) => void;
}

const SIDES = { buy: 'buy', sell: 'sell' } as const;
const TEXTS = [
  ['symbol', 'Symbol, as the venue writes it'],
  ['amount', 'Amount'],
  ['price', 'Limit price'],
] as const;

function OrderFields({ order, onChange }: OrderFieldsProps) {
  return (
    <Row>
      <Choice
        label="Side"
        options={SIDES}
        value={order.side}
        onChange={(side) => onChange({ ...order, side })}
      />
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
