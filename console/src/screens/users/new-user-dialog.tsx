/** A new person, who then enrols by a code, or a new machine with its public key. */
import { useState } from 'react';
import type { OperationValue } from '@countersign/client/operation-calls.js';
import { ConfirmedChange } from '../../vault/confirmed-change.js';
import { Choice } from '../../design/choice.js';
import { Dialog } from '../../design/dialog.js';
import { Block, Field, Quiet } from '../../design/pieces.js';
import { visibleText } from '../../design/visible-text.js';
import { useChange } from '../../vault/vault-queries.js';

type CreatedUser = OperationValue<'create-user'>;

const KINDS = {
  human: 'A person, who signs with a passkey',
  machine: 'A machine, which signs with an Ed25519 key',
} as const;
const PROVIDERS = {
  azure: 'Microsoft Entra ID',
  gcp: 'Google',
  oidc: 'Another identity provider (OpenID Connect)',
} as const;

interface UserFields {
  readonly kind: keyof typeof KINDS;
  readonly name: string;
  readonly email: string;
  readonly provider: keyof typeof PROVIDERS;
  readonly publicKey: string;
}

const EMPTY: UserFields = { kind: 'human', name: '', email: '', provider: 'azure', publicKey: '' };

export function NewUserDialog({ onClose }: { readonly onClose: () => void }) {
  const [fields, setFields] = useState(EMPTY);
  const set = (change: Partial<UserFields>) => setFields({ ...fields, ...change });
  const create = useChange((calls) => calls.call('create-user', { body: bodyOf(fields) }));
  if (create.isSuccess) return <Created user={create.data} onClose={onClose} />;
  return (
    <Dialog title="New user" onClose={onClose}>
      <Choice
        label="Kind"
        options={KINDS}
        value={fields.kind}
        onChange={(kind) => set({ kind })}
      />
      <Field label="Name">
        <input
          value={fields.name}
          maxLength={128}
          onChange={({ target }) => set({ name: target.value })}
        />
      </Field>
      {fields.kind === 'human' ? (
        <PersonFields fields={fields} set={set} />
      ) : (
        <Field label="Public key (32 bytes, hex or base64url)">
          <input
            value={fields.publicKey}
            maxLength={64}
            onChange={({ target }) => set({ publicKey: target.value })}
          />
        </Field>
      )}
      <Quiet>A new user may do nothing until a policy names them or a group of theirs.</Quiet>
      <ConfirmedChange
        label={`Make ${fields.kind === 'human' ? 'person' : 'machine'} ${visibleText(fields.name.trim())}`}
        disabledBecause={missingOf(fields)}
        change={create}
      />
    </Dialog>
  );
}

interface PersonFieldsProps {
  readonly fields: UserFields;
  readonly set: (change: Partial<UserFields>) => void;
}

function PersonFields({ fields, set }: PersonFieldsProps) {
  return (
    <>
      <Field label="Email">
        <input
          type="email"
          value={fields.email}
          maxLength={254}
          onChange={({ target }) => set({ email: target.value })}
        />
      </Field>
      <Choice
        label="Signs in at"
        options={PROVIDERS}
        value={fields.provider}
        onChange={(provider) => set({ provider })}
      />
    </>
  );
}

function missingOf({ kind, name, email, publicKey }: UserFields): string | undefined {
  if (name.trim() === '') return 'Give a name first.';
  if (kind === 'human') return email.trim() === '' ? 'Give an email address first.' : undefined;
  return publicKey.trim() === '' ? 'Give the public key first.' : undefined;
}

function bodyOf({ kind, name, email, provider, publicKey }: UserFields) {
  return kind === 'human'
    ? {
        type: kind,
        display_name: name.trim(),
        email: email.trim(),
        cloud_provider: provider,
      }
    : { type: kind, display_name: name.trim(), public_key: publicKey.trim() };
}

/** The one place where a secret of the vault is ever shown: once, and kept nowhere. */
function Created({ user, onClose }: { readonly user: CreatedUser; readonly onClose: () => void }) {
  const secret = user.type === 'human' ? user.enrollment_code : user.api_key;
  return (
    <Dialog title="User made" onClose={onClose}>
      <p role="status">{visibleText(user.display_name)} is a user now.</p>
      {secret !== undefined && (
        <>
          <Block label={user.type === 'human' ? 'Enrolment code' : 'API key'} text={secret} />
          <Quiet>
            {user.type === 'human'
              ? 'Hand it over in person: it is shown this once, and whoever has it can enrol as this user. Compare the passkey with what their device shows before you give rights.'
              : 'It is shown this once. Put it where the machine reads its settings, and nowhere else.'}
          </Quiet>
        </>
      )}
    </Dialog>
  );
}
