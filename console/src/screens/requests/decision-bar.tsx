/** Approve, reject or cancel, in sight all the time: each signed with the passkey, over the digest of what is shown. */
import { useState } from 'react';
import { Button } from '../../design/button.js';
import { ConfirmedChange } from '../../vault/confirmed-change.js';
import { Dialog } from '../../design/dialog.js';
import { Block, Fact, Facts, Field, Name, Quiet, Row, Time } from '../../design/pieces.js';
import { useSession } from '../../session/session-store.js';
import { useVaultTime } from '../../session/vault-time.js';
import { useChange } from '../../vault/vault-queries.js';
import { approvalObstacle, rejectionObstacle } from './approval-obstacle.js';
import { approvalOf } from './approval-of.js';
import { afterApproval } from './completion-words.js';
import styles from './decision-bar.module.css';
import { DigestFacts } from './digest-facts.js';
import { OrderInRequest } from './order-in-request.js';
import { contentTextOf, digestOf } from './request-content.js';
import { useIsAwaited } from './review-link.js';
import type { RequestRecord } from './shown-record.js';

type Decision = 'approve' | 'reject' | 'cancel';

interface DecisionBarProps {
  readonly record: RequestRecord;
  /** What is asked, in a line. */
  readonly title: string;
}

export function DecisionBar({ record, title }: DecisionBarProps) {
  const { person } = useSession();
  const now = useVaultTime();
  const [decision, setDecision] = useState<Decision>();
  const isAsked = useIsAwaited()(record.request_id);
  // what came of a decision is still said when it has ended the request
  if (record.status !== 'processing' && decision === undefined) return null;
  const viewer = { userId: person.id, isAsked, now };
  const noApproval = approvalObstacle(record, viewer, digestOf(record));
  const noRejection = rejectionObstacle(record, viewer);
  return (
    <section className={styles.bar} aria-label="Your decision">
      <div className={styles.what}>
        <span className={styles.title}>
          <Name text={title} />
        </span>
        <WorthAndTime record={record} />
      </div>
      {noApproval !== undefined && noApproval === noRejection ? (
        <Quiet>{noApproval}</Quiet>
      ) : (
        <Row>
          <Button kind="main" disabledBecause={noApproval} onPress={() => setDecision('approve')}>
            Approve…
          </Button>
          <Button kind="danger" disabledBecause={noRejection} onPress={() => setDecision('reject')}>
            Reject…
          </Button>
        </Row>
      )}
      {record.created_by === person.id && (
        <Button onPress={() => setDecision('cancel')}>Cancel your request…</Button>
      )}
      {decision !== undefined && (
        <DecisionDialog
          key={decision}
          decision={decision}
          record={record}
          what={title}
          onClose={() => setDecision(undefined)}
        />
      )}
    </section>
  );
}

function WorthAndTime({ record }: Pick<DecisionBarProps, 'record'>) {
  const worth = record.facts?.usd_value?.value;
  // once it has its approvals, its time is that of the signing
  const until = record.phase === 'awaiting_approval' ? record.expires_at : null;
  if (worth === undefined && until === null) return null;
  return (
    <Quiet>
      {worth !== undefined && `${worth} USD. `}
      {until !== null && (
        <>
          Ends <Time at={until} />.
        </>
      )}
    </Quiet>
  );
}

interface DecisionDialogProps {
  readonly decision: Decision;
  readonly record: RequestRecord;
  /** What is asked, in a line. */
  readonly what: string;
  readonly onClose: () => void;
}

const TITLES = { approve: 'Approve', reject: 'Reject', cancel: 'Cancel' } as const;
const DONE = { approve: 'approval', reject: 'rejection', cancel: 'cancellation' } as const;
const ENDS = {
  approve: 'Once no approval is missing it takes effect at once.',
  reject: 'It ends for good; whoever asked would have to ask anew.',
  cancel: 'It ends for good; you would have to ask anew.',
} as const;

function DecisionDialog({ decision, record, what, onClose }: DecisionDialogProps) {
  const [reason, setReason] = useState('');
  const change = useDecision(decision, record, reason.trim());
  const title = `${TITLES[decision]}: ${what}`;
  if (change.isSuccess) {
    return (
      <Dialog title={title} onClose={onClose}>
        <p role="status">
          Done: the vault has your {DONE[decision]}.{' '}
          {decision === 'approve' && afterApproval(change.data)}
        </p>
      </Dialog>
    );
  }
  return (
    <Dialog title={title} onClose={onClose}>
      <Facts>
        <Fact name="What follows">{ENDS[decision]}</Fact>
      </Facts>
      {decision === 'approve' && <OrderInRequest record={record} />}
      <DigestFacts record={record} />
      {record.content !== undefined && (
        <Block label="What you sign for" text={contentTextOf(record.content)} />
      )}
      {decision !== 'approve' && (
        <Field label="Why (optional, for people)">
          <input
            value={reason}
            maxLength={512}
            onChange={({ target }) => setReason(target.value)}
          />
        </Field>
      )}
      <ConfirmedChange
        kind={decision === 'approve' ? 'main' : 'danger'}
        label={`${TITLES[decision]} this request`}
        change={change}
      />
    </Dialog>
  );
}

function useDecision(decision: Decision, record: RequestRecord, reason: string) {
  return useChange((calls) => {
    const params = { request_id: record.request_id };
    if (decision === 'approve') {
      return calls.call('approve-request', { params, body: approvalOf(record) });
    }
    const body = reason === '' ? {} : { reason };
    return calls.call(`${decision}-request`, { params, body });
  });
}
