/** A draft, tried on the requests of the last days: what would have been decided otherwise. */
import { Link } from '@tanstack/react-router';
import { useState } from 'react';
import type { OperationValue } from '@countersign/client/operation-calls.js';
import { ConfirmedChange } from '../../vault/confirmed-change.js';
import { Choice } from '../../design/choice.js';
import { Badge, Fact, Facts, Panel, Quiet, Time } from '../../design/pieces.js';
import { ReasonText } from '../../vault/reason-text.js';
import { useChange } from '../../vault/vault-queries.js';
import { useGroupWithDraft, type DraftProps } from './group-policies.js';
import styles from './policies.module.css';

type Backtest = OperationValue<'backtest-signing-policies'>;

const DAY_MS = 86_400_000;
/** Policies that are tried have ids that name nothing; rules keep theirs. */
const OF_POLICY = / of signing policy [0-9a-f-]{36}, version \d+/g;
const PERIODS = { 1: 'day', 7: '7 days', 30: '30 days', 90: '90 days' };

export function BacktestPanel({ policy, rules, blocked }: DraftProps) {
  const [days, setDays] = useState(7);
  const policies = useGroupWithDraft(policy, rules);
  const backtest = useChange((calls) => {
    const now = Date.now();
    return calls.call('backtest-signing-policies', {
      body: {
        security_group_id: policy.security_group_id,
        policies: policies ?? [],
        from: new Date(now - days * DAY_MS).toISOString(),
        to: new Date(now).toISOString(),
        limit: 5_000,
      },
    });
  });
  return (
    <Panel title="Backtest">
      <Choice
        label="Requests of the last"
        options={PERIODS}
        value={String(days)}
        onChange={(count) => setDays(Number(count))}
      />
      <Quiet>
        It also checks the draft as publishing would: it signs nothing and changes nothing.
      </Quiet>
      <ConfirmedChange
        label="Backtest the draft"
        disabledBecause={blocked ?? (policies === undefined ? 'Loading its group …' : undefined)}
        change={backtest}
      />
      {backtest.isSuccess && <Comparison backtest={backtest.data} />}
    </Panel>
  );
}

const TOTALS = {
  same: 'Decided the same',
  newly_allowed: 'Newly allowed',
  newly_denied: 'Newly denied',
  needs_approvals: 'Would need approvals',
  cannot_say: 'Cannot be said',
} as const;

function Comparison({ backtest: { totals, results, next_cursor: next } }: { backtest: Backtest }) {
  return (
    <div role="status">
      <p>
        {totals.requests === 0
          ? 'No request of this period is on record for the group: the draft is well-formed, and nothing can be compared.'
          : `Tried on ${totals.requests} of the requests on record.`}
        {next !== null &&
          ' There are more than were read: choose a shorter period to see them all.'}
      </p>
      <Facts>
        {Object.entries(TOTALS).map(([name, label]) => (
          <Fact key={name} name={label}>
            {totals[name as keyof typeof TOTALS]}
          </Fact>
        ))}
      </Facts>
      {results.map(({ request_id: id, change, received_at: at, draft }) => (
        <div key={id} className={styles.change}>
          <span>
            <Badge mood={change === 'newly_denied' ? 'bad' : 'warn'}>
              {change.replaceAll('_', ' ')}
            </Badge>{' '}
            <Time at={at} />{' '}
            <Link to="/requests/$requestId" params={{ requestId: id }}>
              request {id.slice(0, 8)}
            </Link>
          </span>
          {draft !== null && <ReasonText text={draft.reason.replaceAll(OF_POLICY, '')} />}
        </div>
      ))}
    </div>
  );
}
