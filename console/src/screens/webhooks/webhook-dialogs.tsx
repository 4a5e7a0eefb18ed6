/** Makes, changes or deletes a webhook. */
import { useStore } from '@tanstack/react-form';
import { Dialog } from '../../design/dialog.js';
import { useAppForm, withForm } from '../../design/form.js';
import { Quiet } from '../../design/pieces.js';
import { visibleText } from '../../design/visible-text.js';
import { ConfirmedChange } from '../../vault/confirmed-change.js';
import { DeletionDialog } from '../../vault/deletion-dialog.js';
import { useChange } from '../../vault/vault-queries.js';
import { WaitingNote } from '../../vault/waiting-note.js';
import {
  EVENT_OPTIONS,
  formOf,
  missingIn,
  NEW_WEBHOOK,
  webhookOf,
  type Webhook,
} from './webhook-form.js';

interface WebhookDialogProps {
  /** Absent: a new one. */
  readonly before?: Webhook;
  readonly onClose: () => void;
}

export function WebhookDialog({ before, onClose }: WebhookDialogProps) {
  const form = useAppForm({ defaultValues: before === undefined ? NEW_WEBHOOK : formOf(before) });
  const stated = useStore(form.store, ({ values }) => values);
  const publish = useChange((calls) =>
    before === undefined
      ? calls.call('create-webhook', { body: webhookOf(stated) })
      : calls.call('update-webhook', {
          params: { webhook_id: before.id },
          body: { ...webhookOf(stated), version: before.version },
        }),
  );
  const name = visibleText(stated.name.trim());
  if (publish.isSuccess) {
    return (
      <Dialog title="Done" onClose={onClose}>
        <p role="status">
          {stated.isEnabled
            ? `${name} is told from now on; the first event is this change. “Sent…” says what became of it.`
            : `${name} is told nothing for now.`}
        </p>
      </Dialog>
    );
  }
  return (
    <Dialog title={before === undefined ? 'New webhook' : 'Change a webhook'} onClose={onClose}>
      <WebhookFields form={form} />
      <WaitingNote action="modify_system_settings" vaultIds={[]} />
      <ConfirmedChange
        label={before === undefined ? `Make webhook ${name}` : `Change webhook ${name}`}
        disabledBecause={missingIn(stated)}
        change={publish}
      />
    </Dialog>
  );
}

const WebhookFields = withForm({
  defaultValues: NEW_WEBHOOK,
  render: ({ form: { AppField } }) => (
    <>
      <AppField name="name">{(field) => <field.TextField label="Name" maxLength={128} />}</AppField>
      <AppField name="url">
        {(field) => (
          <field.TextField
            label="Address (https, a public host)"
            type="url"
            maxLength={2048}
            spellCheck={false}
          />
        )}
      </AppField>
      <AppField name="events">
        {(field) => <field.ChoicesField label="Events" options={EVENT_OPTIONS} />}
      </AppField>
      <AppField name="isEnabled">{(field) => <field.Tick label="It is on" />}</AppField>
      <Quiet>Events that come while it is off are not kept for it.</Quiet>
    </>
  ),
});

interface DeleteWebhookDialogProps {
  readonly webhook: Webhook;
  readonly onClose: () => void;
}

export function DeleteWebhookDialog({ webhook, onClose }: DeleteWebhookDialogProps) {
  const remove = useChange((calls) =>
    calls.call('delete-webhook', { params: { webhook_id: webhook.id } }),
  );
  const name = visibleText(webhook.display_name);
  return (
    <DeletionDialog
      act={`Delete webhook ${name}`}
      done={`${name} is told nothing any more.`}
      change={remove}
      onClose={onClose}
    >
      <p>
        <code>{visibleText(webhook.url)}</code> is told nothing more, what waits to be sent
        included.
      </p>
      <WaitingNote action="modify_system_settings" vaultIds={[]} />
    </DeletionDialog>
  );
}
