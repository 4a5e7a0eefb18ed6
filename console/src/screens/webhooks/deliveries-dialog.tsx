/** What was sent to a webhook, what became of it, and sending it again. */
import type { OperationValue } from '@countersign/client/operation-calls.js';
import { Button } from '../../design/button.js';
import type { Column } from '../../design/data-table.js';
import { Dialog } from '../../design/dialog.js';
import type { Mood } from '../../design/mood-icon.js';
import { Badge, Name, Quiet, Time, Unseen } from '../../design/pieces.js';
import { visibleText } from '../../design/visible-text.js';
import { Fault } from '../../vault/fault.js';
import { RowTable } from '../../vault/row-table.js';
import { useChange, useRows } from '../../vault/vault-queries.js';
import type { Webhook } from './webhook-form.js';

type Delivery = OperationValue<'list-webhook-deliveries'>['results'][number];

const LOOK_MS = 5_000;

interface DeliveriesDialogProps {
  readonly webhook: Webhook;
  readonly onClose: () => void;
}

export function DeliveriesDialog({ webhook, onClose }: DeliveriesDialogProps) {
  const params = { webhook_id: webhook.id };
  const list = useRows(
    'list-webhook-deliveries',
    { params, query: { limit: '100' } },
    { everyMs: LOOK_MS },
  );
  const resend = useChange((calls, eventId: string) =>
    calls.call('resend-webhook-events', { params, body: { event_id: eventId } }),
  );
  return (
    <Dialog title={`Sent to ${visibleText(webhook.display_name)}`} onClose={onClose}>
      <RowTable
        caption="Events sent"
        columns={columnsWith((id) => resend.mutate(id), resend.isPending)}
        list={list}
        idOf={({ event_id: id }) => id}
        empty={<Quiet>Nothing was sent yet.</Quiet>}
      />
      <Fault error={resend.error} />
      {resend.isSuccess && <p role="status">It is sent again.</p>}
      <Quiet>Sending again asks for your passkey. The receiver knows the event by its id.</Quiet>
    </Dialog>
  );
}

const MOODS: Readonly<Record<Delivery['status'], Mood>> = {
  pending: 'warn',
  delivered: 'good',
  failed: 'bad',
};

const columnsWith = (
  again: (eventId: string) => void,
  isBusy: boolean,
): readonly Column<Delivery>[] => [
  { title: 'Event', cell: ({ event_type: type }) => <code>{type}</code> },
  {
    title: 'At',
    cell: ({ created_at: at }) => <Time at={at} />,
    sortBy: ({ created_at: at }) => at,
  },
  {
    title: 'State',
    isText: true,
    cell: ({ status, attempts, response_status: answer, error }) => (
      <>
        <Badge mood={MOODS[status]}>{status}</Badge>
        <Quiet>
          {attempts} {attempts === 1 ? 'attempt' : 'attempts'}
          {answer !== null && `, answered ${answer}`}
          {error !== null && (
            <>
              : <Name text={error} />
            </>
          )}
        </Quiet>
      </>
    ),
  },
  {
    title: 'Again',
    cell: ({ event_id: id, event_type: type }) => (
      <Button
        disabledBecause={isBusy ? 'Follow what your device asks.' : undefined}
        onPress={() => again(id)}
      >
        Send again<Unseen> {type}</Unseen>
      </Button>
    ),
  },
];
