/** A new key, generated among the three parties. */
import { useState } from 'react';
import { ConfirmedChange } from '../../vault/confirmed-change.js';
import { Choice } from '../../design/choice.js';
import { Dialog } from '../../design/dialog.js';
import { Field, Quiet } from '../../design/pieces.js';
import { visibleText } from '../../design/visible-text.js';
import { useChange, useRead } from '../../vault/vault-queries.js';

const KINDS = { ed25519: 'Ed25519', rsa: 'RSA, 2048 bits (takes minutes)' } as const;

export function NewKeyDialog({ onClose }: { readonly onClose: () => void }) {
  const [name, setName] = useState('');
  const [type, setType] = useState<keyof typeof KINDS>('ed25519');
  const [venue, setVenue] = useState('');
  const create = useChange((calls) =>
    calls.call('generate-key', {
      body: { type, display_name: name.trim(), ...(venue !== '' && { venue_id: venue }) },
    }),
  );
  if (create.isSuccess) {
    return (
      <Dialog title="Key made" onClose={onClose}>
        <p role="status">{visibleText(name)} is a key of this vault now.</p>
        <Quiet>Put it into a security group with a policy: until then it signs nothing.</Quiet>
      </Dialog>
    );
  }
  return (
    <Dialog title="New key" onClose={onClose}>
      <Field label="Name">
        <input value={name} maxLength={128} onChange={({ target }) => setName(target.value)} />
      </Field>
      <Choice label="Kind" options={KINDS} value={type} onChange={setType} />
      <VenueChoice type={type} venue={venue} onChoose={setVenue} />
      <ConfirmedChange
        label={`Make key ${visibleText(name.trim())}`}
        disabledBecause={name.trim() === '' ? 'Give it a name first.' : undefined}
        change={create}
      />
    </Dialog>
  );
}

interface VenueChoiceProps {
  readonly type: string;
  readonly venue: string;
  readonly onChoose: (venue: string) => void;
}

/** Those that take this kind of key. */
function VenueChoice({ type, venue, onChoose }: VenueChoiceProps) {
  const { data: catalogue } = useRead('get-system-info', {});
  const venues = (catalogue?.supported_venues ?? []).filter((one) => one.key_types.includes(type));
  return (
    <Choice
      label="For the venue"
      options={{
        '': 'none: it signs raw messages alone',
        ...Object.fromEntries(venues.map(({ id, display_name: name }) => [id, name])),
      }}
      value={venue}
      onChange={onChoose}
    />
  );
}
