/** What a draft would decide about one request that nobody has made. */
import { useState } from 'react';
import { ConfirmedChange } from '../../vault/confirmed-change.js';
import { Badge, Block, Field, Panel, Quiet, Row } from '../../design/pieces.js';
import { Fault } from '../../vault/fault.js';
import { visibleText } from '../../design/visible-text.js';
import { useChange, useRows } from '../../vault/vault-queries.js';
import { useGroupWithDraft, type DraftProps } from './group-policies.js';
import type { Evaluation } from './policy-queries.js';

/** As somebody would ask with this key; any field of the API's own body may be changed. */
function exampleFor(keyId: string, venueId: string | null | undefined): string {
  const request =
    venueId === undefined || venueId === null
      ? { operation: 'raw_sign', key_id: keyId, message: btoa('an example') }
      : {
          operation: 'sign',
          key_id: keyId,
          venue_request: { channel: 'rest', method: 'GET', path: '/' },
        };
  return JSON.stringify(request, null, 2);
}

export function EvaluatePanel({ policy, rules, blocked }: DraftProps) {
  const [text, setText] = useState('');
  const [fault, setFault] = useState<string>();
  const policies = useGroupWithDraft(policy, rules);
  const evaluate = useChange((calls, body: object) =>
    calls.call('evaluate-signing-policies', {
      body: {
        ...body,
        policies,
        security_group_id: policy.security_group_id,
      } as never,
    }),
  );
  const run = () => {
    try {
      setFault(undefined);
      evaluate.mutate(JSON.parse(text) as object);
    } catch {
      setFault('The example is no JSON.');
    }
  };
  const missing = text.trim() === '' ? 'Choose a key, or write an example, first.' : undefined;
  return (
    <Panel title="Evaluate an example">
      <KeyChoice groupId={policy.security_group_id} onChoose={setText} />
      <Field label="The request, as the API's evaluate takes it (JSON)">
        <textarea rows={8} value={text} onChange={({ target }) => setText(target.value)} />
      </Field>
      <Fault error={fault} />
      <ConfirmedChange
        label="Evaluate with the draft"
        disabledBecause={blocked ?? missing}
        change={{ ...evaluate, mutate: run }}
      />
      {evaluate.isSuccess && <Outcome evaluation={evaluate.data} />}
    </Panel>
  );
}

interface KeyChoiceProps {
  readonly groupId: string;
  readonly onChoose: (example: string) => void;
}

function KeyChoice({ groupId, onChoose }: KeyChoiceProps) {
  const query = { limit: '100', security_group_id: groupId };
  const { rows: keys } = useRows('list-keys', { query });
  return (
    <Field label="A key of the group, to begin with">
      <select
        defaultValue=""
        onChange={({ target }) => {
          const key = keys.find(({ id }) => id === target.value);
          if (key !== undefined) onChoose(exampleFor(key.id, key.venue_id));
        }}
      >
        <option value="">Choose …</option>
        {keys.map(({ id, display_name: name }) => (
          <option key={id} value={id}>
            {visibleText(name)}
          </option>
        ))}
      </select>
    </Field>
  );
}

function Outcome({ evaluation: { outcome, reason, trace, facts } }: { evaluation: Evaluation }) {
  return (
    <div role="status">
      <Row>
        <Badge mood={outcome === 'allow' ? 'good' : outcome === 'deny' ? 'bad' : 'warn'}>
          {outcome}
        </Badge>
        <span>{visibleText(reason)}</span>
      </Row>
      <Quiet>What was read of the request, and the part of every rule:</Quiet>
      <Block label="Facts and trace" text={JSON.stringify({ facts, trace }, null, 2)} />
    </div>
  );
}
