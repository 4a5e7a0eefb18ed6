/** Makes, changes or deletes a webhook. */
import { useState } from 'react';
import { Choices } from '../../design/choices.js';
import { Dialog } from '../../design/dialog.js';
import { Field, Quiet } from '../../design/pieces.js';
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
  type WebhookForm,
} from './webhook-form.js';

interface WebhookDialogProps {
  /** Absent: a new one. */
  readonly before?: Webhook;
  readonly onClose: () => void;
}

export function WebhookDialog({ before, onClose }: WebhookDialogProps) {
  const [form, setForm] = useState(() => (before === undefined ? NEW_WEBHOOK : formOf(before)));
  const set = (change: Partial<WebhookForm>) => setForm({ ...form, ...change });
  const publish = useChange((calls) =>
    before === undefined
      ? calls.call('create-webhook', { body: webhookOf(form) })
      : calls.call('update-webhook', {
          params: { webhook_id: before.id },
          body: { ...webhookOf(form), version: before.version },
        }),
  );
  const name = visibleText(form.name.trim());
  if (publish.isSuccess) {
    return (
      <Dialog title="Done" onClose={onClose}>
        <p role="status">
          {form.isEnabled
            ? `${name} is told from now on; the first event is this change. “Sent…” says what became of it.`
            : `${name} is told nothing for now.`}
        </p>
      </Dialog>
    );
  }
  return (
    <Dialog title={before === undefined ? 'New webhook' : 'Change a webhook'} onClose={onClose}>
      <WebhookFields form={form} set={set} />
      <WaitingNote action="modify_system_settings" vaultIds={[]} />
      <ConfirmedChange
        label={before === undefined ? `Make webhook ${name}` : `Change webhook ${name}`}
        disabledBecause={missingIn(form)}
        change={publish}
      />
    </Dialog>
  );
}

interface WebhookFieldsProps {
  readonly form: WebhookForm;
  readonly set: (change: Partial<WebhookForm>) => void;
}

function WebhookFields({ form, set }: WebhookFieldsProps) {
  return (
    <>
      <Field label="Name">
        <input
          value={form.name}
          maxLength={128}
          onChange={({ target }) => set({ name: target.value })}
        />
      </Field>
      <Field label="Address (https, a public host)">
        <input
          type="url"
          value={form.url}
          maxLength={2048}
          spellCheck={false}
          onChange={({ target }) => set({ url: target.value })}
        />
      </Field>
      <Choices
        label="Events"
        options={EVENT_OPTIONS}
        chosen={form.events}
        onChange={(events) => set({ events })}
      />
      <label>
        <input
          type="checkbox"
          checked={form.isEnabled}
          onChange={({ target }) => set({ isEnabled: target.checked })}
        />{' '}
        It is on
      </label>
      <Quiet>Events that come while it is off are not kept for it.</Quiet>
    </>
  );
}

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
