/** Lists of the address book, by name, and a new one without leaving the form. */
import { useState } from 'react';
import { Button } from '../../design/button.js';
import { Choices } from '../../design/choices.js';
import { NameSearch } from '../../design/name-search.js';
import { Quiet, Row } from '../../design/pieces.js';
import { AskedChanges, useAskedChanges } from '../../vault/asked-changes.js';
import { AddressListDialog } from '../address-book/address-list-dialogs.js';
import type { Directory } from './policy-queries.js';

interface AddressListsChoiceProps extends Pick<Directory, 'addressLists'> {
  readonly label: string;
  readonly chosen: readonly string[];
  readonly onChange: (ids: readonly string[]) => void;
}

/** So many are found by looking at them. */
const FEW = 8;

export function AddressListsChoice({ addressLists, ...choices }: AddressListsChoiceProps) {
  const { chosen, onChange } = choices;
  const [part, setPart] = useState('');
  const [isMaking, setMaking] = useState(false);
  const { asked, note } = useAskedChanges('rules');
  const wanted = part.trim().toLowerCase();
  const found = addressLists.filter(
    ({ id, display_name: text }) => chosen.includes(id) || text.toLowerCase().includes(wanted),
  );
  return (
    <Choices options={new Map(found.map(({ id, display_name: text }) => [id, text]))} {...choices}>
      {addressLists.length === 0 && <Quiet>There is no list yet.</Quiet>}
      {addressLists.length > FEW && <NameSearch part={part} onChange={setPart} />}
      <Row>
        <Button onPress={() => setMaking(true)}>New address list…</Button>
      </Row>
      <AskedChanges asked={asked} />
      {isMaking && (
        <AddressListDialog
          onAnswer={(answer, name) => {
            note(answer, `Address list ${name}`);
            if (!answer.ok) return;
            onChange([...chosen, answer.value.id]);
            setMaking(false);
          }}
          onClose={() => setMaking(false)}
        />
      )}
    </Choices>
  );
}
