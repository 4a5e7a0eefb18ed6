/** A security group with its first members. */
import { useState } from 'react';
import { ConfirmedChange } from '../../vault/confirmed-change.js';
import { Dialog } from '../../design/dialog.js';
import { Field, Quiet } from '../../design/pieces.js';
import { visibleText } from '../../design/visible-text.js';
import { useChange, useRows } from '../../vault/vault-queries.js';
import styles from './policies.module.css';

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
      <fieldset className={styles.choices}>
        <legend>Keys in it</legend>
        {keys.length === 0 && <Quiet>There is no key yet: it can get members later.</Quiet>}
        {keys.map(({ id, display_name: keyName }) => (
          <label key={id}>
            <input
              type="checkbox"
              checked={chosen.includes(id)}
              onChange={({ target }) =>
                setChosen(target.checked ? [...chosen, id] : chosen.filter((one) => one !== id))
              }
            />
            {visibleText(keyName)}
          </label>
        ))}
      </fieldset>
      <ConfirmedChange
        label={`Make security group ${visibleText(name.trim())}`}
        disabledBecause={name.trim() === '' ? 'Give it a name first.' : undefined}
        change={create}
      />
    </Dialog>
  );
}
