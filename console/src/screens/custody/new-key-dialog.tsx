/** A new key, generated among the three parties. */
import { useState } from 'react';
import { ConfirmedChange } from '../../vault/confirmed-change.js';
import { Dialog } from '../../design/dialog.js';
import { Field, Quiet } from '../../design/pieces.js';
import { visibleText } from '../../design/visible-text.js';
import { useChange, useRead } from '../../vault/vault-queries.js';

export function NewKeyDialog({ onClose }: { readonly onClose: () => void }) {
  const [name, setName] = useState('');
  const [type, setType] = useState<'ed25519' | 'rsa'>('ed25519');
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
      <Field label="Kind">
        <select
          value={type}
          onChange={({ target }) => setType(target.value === 'rsa' ? 'rsa' : 'ed25519')}
        >
          <option value="ed25519">Ed25519</option>
          <option value="rsa">RSA, 2048 bits (takes minutes)</option>
        </select>
      </Field>
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
    <Field label="For the venue">
      <select value={venue} onChange={({ target }) => onChoose(target.value)}>
        <option value="">none: it signs raw messages alone</option>
        {venues.map(({ id, display_name: venueName }) => (
          <option key={id} value={id}>
            {venueName}
          </option>
        ))}
      </select>
    </Field>
  );
}
