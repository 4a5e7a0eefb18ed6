/** Webhooks: addresses that the vault tells of what happens, and what became of what was sent. */
import { useState } from 'react';
import { Button } from '../../design/button.js';
import type { Column } from '../../design/data-table.js';
import { Badge, Name, Quiet, Row, Screen, Unseen } from '../../design/pieces.js';
import { visibleText } from '../../design/visible-text.js';
import { RowTable } from '../../vault/row-table.js';
import { useRows } from '../../vault/vault-queries.js';
import { DeliveriesDialog } from './deliveries-dialog.js';
import { DeleteWebhookDialog, WebhookDialog } from './webhook-dialogs.js';
import type { Webhook } from './webhook-form.js';

type Opened = 'new' | { readonly act: 'edit' | 'delete' | 'sent'; readonly webhook: Webhook };

export function WebhooksScreen() {
  const [opened, setOpened] = useState<Opened>();
  const list = useRows('list-webhooks', { query: { limit: '100' } });
  const close = () => setOpened(undefined);
  return (
    <Screen
      title="Webhooks"
      lead="Addresses that are told at once when something happens. Each event is signed by the vault, and holds ids, kinds and times: nothing that could be used."
    >
      <Row>
        <Button kind="main" onPress={() => setOpened('new')}>
          New webhook…
        </Button>
      </Row>
      <RowTable
        caption="Webhooks"
        columns={columnsWith(setOpened)}
        list={list}
        idOf={({ id }) => id}
        empty={
          <>
            <strong>Nobody is told of anything yet.</strong>
            <Quiet>
              Make a webhook for the chat or pager of your desk: it hears of what waits for
              approvals, of freezes and of alarms.
            </Quiet>
          </>
        }
      />
      {opened === 'new' && <WebhookDialog onClose={close} />}
      {typeof opened === 'object' && opened.act === 'edit' && (
        <WebhookDialog before={opened.webhook} onClose={close} />
      )}
      {typeof opened === 'object' && opened.act === 'sent' && (
        <DeliveriesDialog webhook={opened.webhook} onClose={close} />
      )}
      {typeof opened === 'object' && opened.act === 'delete' && (
        <DeleteWebhookDialog webhook={opened.webhook} onClose={close} />
      )}
    </Screen>
  );
}

const columnsWith = (open: (opened: Opened) => void): readonly Column<Webhook>[] => [
  {
    title: 'Name',
    cell: ({ display_name: name }) => <Name text={name} />,
    sortBy: ({ display_name: name }) => name,
  },
  { title: 'Address', isText: true, cell: ({ url }) => <code>{visibleText(url)}</code> },
  { title: 'Events', isText: true, cell: ({ events }) => events.join(', ') },
  {
    title: 'State',
    cell: ({ enabled }) => <Badge mood={enabled ? 'good' : 'warn'}>{enabled ? 'on' : 'off'}</Badge>,
  },
  {
    title: 'Acts',
    cell: (webhook) => {
      const of = <Unseen> of {visibleText(webhook.display_name)}</Unseen>;
      return (
        <Row>
          <Button onPress={() => open({ act: 'sent', webhook })}>Sent…{of}</Button>
          <Button onPress={() => open({ act: 'edit', webhook })}>Edit…{of}</Button>
          <Button onPress={() => open({ act: 'delete', webhook })}>Delete…{of}</Button>
        </Row>
      );
    },
  },
];
