/** Makes, changes or deletes one administrative policy. */
import { useStore } from '@tanstack/react-form';
import { Dialog } from '../../design/dialog.js';
import { useAppForm } from '../../design/form.js';
import { Name, Quiet } from '../../design/pieces.js';
import { visibleText } from '../../design/visible-text.js';
import { ConfirmedChange } from '../../vault/confirmed-change.js';
import { DeletionDialog } from '../../vault/deletion-dialog.js';
import { useChange } from '../../vault/vault-queries.js';
import { WaitingNote } from '../../vault/waiting-note.js';
import { RightChanges } from './right-changes.js';
import { RightFields } from './right-fields.js';
import { EMPTY_RIGHT, formOf, missingIn, rightOf, withinReach } from './right-form.js';
import { changesOf, RIGHTS, rightWords, type AdminPolicy, type Names } from './right-words.js';
import type { Rights } from './use-rights.js';
import { useUsersById } from '../policies/policy-queries.js';

interface RightDialogProps {
  readonly rights: Rights;
  /** Absent: a new one. */
  readonly before?: AdminPolicy;
  readonly onClose: () => void;
}

export function RightDialog({ rights, before, onClose }: RightDialogProps) {
  const form = useAppForm({ defaultValues: before === undefined ? EMPTY_RIGHT : formOf(before) });
  const stated = useStore(form.store, ({ values }) => withinReach(values));
  const right = rightOf(
    stated,
    rights.groups.map(({ id }) => id),
    before,
  );
  const chosen = useUsersById([...stated.who, ...stated.approvers]);
  const names = new Map([
    ...rights.names,
    ...chosen.map(({ id, display_name: name }) => [id, name] as const),
  ]);
  const publish = useChange((calls) =>
    before === undefined
      ? calls.call('create-admin-policy', { body: right })
      : calls.call('update-admin-policy', {
          params: { policy_id: before.id },
          body: { ...right, version: before.version },
        }),
  );
  if (publish.isSuccess) {
    return (
      <Dialog title="Done" onClose={onClose}>
        <p role="status">{visibleText(publish.data.display_name)} is in force.</p>
      </Dialog>
    );
  }
  const changes = changesOf(before, right, names);
  const name = visibleText(stated.name.trim());
  return (
    <Dialog title={before === undefined ? 'New right' : 'Change a right'} onClose={onClose}>
      <RightFields form={form} stated={stated} rights={rights} />
      <WaitingNote action="manage_admin_policies" vaultIds={[]} />
      <ConfirmedChange
        label={before === undefined ? `Give right ${name}` : `Change right ${name}`}
        disabledBecause={
          missingIn(stated) ?? (changes.length === 0 ? 'Nothing differs.' : undefined)
        }
        change={publish}
      >
        <RightChanges changes={changes} />
      </ConfirmedChange>
    </Dialog>
  );
}

interface DeleteRightDialogProps {
  readonly policy: AdminPolicy;
  readonly names: Names;
  readonly onClose: () => void;
}

export function DeleteRightDialog({ policy, names, onClose }: DeleteRightDialogProps) {
  const remove = useChange((calls) =>
    calls.call('delete-admin-policy', { params: { policy_id: policy.id } }),
  );
  const name = visibleText(policy.display_name);
  return (
    <DeletionDialog
      act={`Delete right ${name}`}
      done={`${name} decides about nothing any more.`}
      change={remove}
      onClose={onClose}
    >
      <p>
        {RIGHTS[policy.action]}: <Name text={rightWords(policy, names)} />
      </p>
      <Quiet>
        {policy.effect === 'deny'
          ? 'What it denied is allowed to whoever another policy lets do it.'
          : 'Whoever has the right by no other policy loses it. The last that lets somebody change rights cannot be deleted.'}
      </Quiet>
      <WaitingNote action="manage_admin_policies" vaultIds={[]} />
    </DeletionDialog>
  );
}
