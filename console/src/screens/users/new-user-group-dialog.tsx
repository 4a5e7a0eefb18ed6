/** A new group of users. */
import { useState } from 'react';
import { ConfirmedChange } from '../../vault/confirmed-change.js';
import { Dialog } from '../../design/dialog.js';
import { Field, Quiet } from '../../design/pieces.js';
import { visibleText } from '../../design/visible-text.js';
import { useChange } from '../../vault/vault-queries.js';

export function NewUserGroupDialog({ onClose }: { readonly onClose: () => void }) {
  const [name, setName] = useState('');
  const create = useChange((calls) =>
    calls.call('create-user-group', { body: { display_name: name.trim() } }),
  );
  if (create.isSuccess) {
    return (
      <Dialog title="Group made" onClose={onClose}>
        <p role="status">{visibleText(name)} is a group now.</p>
        <Quiet>Open a user to put them into it.</Quiet>
      </Dialog>
    );
  }
  return (
    <Dialog title="New group" onClose={onClose}>
      <Field label="Name">
        <input value={name} maxLength={128} onChange={({ target }) => setName(target.value)} />
      </Field>
      <ConfirmedChange
        label={`Make group ${visibleText(name.trim())}`}
        disabledBecause={name.trim() === '' ? 'Give it a name first.' : undefined}
        change={create}
      />
    </Dialog>
  );
}
