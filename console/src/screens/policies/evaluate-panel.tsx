/** What a draft would decide about one request that nobody has made. */
import { useState } from 'react';
import { ConfirmedChange } from '../../vault/confirmed-change.js';
import { Badge, Block, Field, Panel, Quiet, Row } from '../../design/pieces.js';
import { Fault } from '../../vault/fault.js';
import { visibleText } from '../../design/visible-text.js';
import { useChange } from '../../vault/vault-queries.js';
import { ExampleForm } from './example-form.js';
import { useGroupWithDraft, type DraftProps } from './group-policies.js';
import type { Evaluation } from './policy-queries.js';

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
  const missing = text.trim() === '' ? 'Choose a key first: it fills in an example.' : undefined;
  return (
    <Panel title="Evaluate an example">
      <Quiet>
        What the draft would decide about one request. Nothing is sent and nothing is signed with
        the key.
      </Quiet>
      <ExampleForm groupId={policy.security_group_id} onChange={setText} />
      <Field label="The whole request, as the API takes it: any of it may be changed (JSON)">
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
