/** A security group with its first members. */
import { useState } from 'react';
import { ConfirmedChange } from '../../vault/confirmed-change.js';
import { Choices } from '../../design/choices.js';
import { Dialog } from '../../design/dialog.js';
import { Field, Quiet } from '../../design/pieces.js';
import { visibleText } from '../../design/visible-text.js';
import { useChange, useRows } from '../../vault/vault-queries.js';

export function NewGroupDialog({ onClose }: { readonly onClose: () => void }) {
  const [name, setName] = useState('');
  const [chosen, setChosen] = useState<readonly string[]>([]);
  const { rows: keys } = useRows('list-keys', { query: { limit: '100' } });
  const create = useChange((calls) =>
    calls.call('create-security-group', {
      body: {
        display_name: name.trim(),
        members: chosen.map((member_id) => ({ member_id, member_type: 'key' as const })),
      },
    }),
  );
  if (create.isSuccess) {
    return (
      <Dialog title="Security group made" onClose={onClose}>
        <p role="status">Give it a policy next: without one its members sign nothing.</p>
      </Dialog>
    );
  }
  return (
    <Dialog title="New security group" onClose={onClose}>
      <Field label="Name">
        <input value={name} maxLength={128} onChange={({ target }) => setName(target.value)} />
      </Field>
      <Choices
        label="Keys in it"
        options={new Map(keys.map(({ id, display_name: keyName }) => [id, keyName]))}
        chosen={chosen}
        onChange={setChosen}
      >
        {keys.length === 0 && <Quiet>There is no key yet: it can get members later.</Quiet>}
      </Choices>
      <ConfirmedChange
        label={`Make security group ${visibleText(name.trim())}`}
        disabledBecause={name.trim() === '' ? 'Give it a name first.' : undefined}
        change={create}
      />
    </Dialog>
  );
}
