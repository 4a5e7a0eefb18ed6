/** A security group with its first members. */
import { useState } from 'react';
import { ConfirmedChange } from '../../vault/confirmed-change.js';
import { Choices } from '../../design/choices.js';
import { Dialog } from '../../design/dialog.js';
import { NameSearch } from '../../design/name-search.js';
import { Field, Quiet } from '../../design/pieces.js';
import { visibleText } from '../../design/visible-text.js';
import { useChange, useRows } from '../../vault/vault-queries.js';
import { MOST, MOST_IDS } from './policy-queries.js';

export function NewGroupDialog({ onClose }: { readonly onClose: () => void }) {
  const [name, setName] = useState('');
  const [chosen, setChosen] = useState<readonly string[]>([]);
  const [part, setPart] = useState('');
  const { options, isEmpty } = useKeyOptions(part.trim(), chosen);
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
      <Choices label="Keys in it" options={options} chosen={chosen} onChange={setChosen}>
        <NameSearch part={part} onChange={setPart} />
        {isEmpty && <Quiet>There is no such key: the group can get members later.</Quiet>}
      </Choices>
      <ConfirmedChange
        label={`Make security group ${visibleText(name.trim())}`}
        disabledBecause={name.trim() === '' ? 'Give it a name first.' : undefined}
        change={create}
      />
    </Dialog>
  );
}

/** Keys by a part of their name, and those that are chosen. */
function useKeyOptions(part: string, chosen: readonly string[]) {
  const query = { ...MOST, ...(part !== '' && { display_name_like: part }) };
  const { rows: found, query: list } = useRows('list-keys', { query });
  const ofChosen = { ...MOST, key_ids: chosen.slice(0, MOST_IDS).join(',') };
  const { rows: named } = useRows(
    'list-keys',
    { query: ofChosen },
    { isWanted: chosen.length > 0 },
  );
  const keys = [...(chosen.length > 0 ? named : []), ...found];
  const options = new Map(keys.map(({ id, display_name: name }) => [id, name]));
  return { options, isEmpty: list.isSuccess && found.length === 0 };
}
