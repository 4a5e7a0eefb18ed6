/** A new person, who then enrols by a code, or a new machine with its public key. */
import { useStore } from '@tanstack/react-form';
import type { OperationValue } from '@countersign/client/operation-calls.js';
import { ConfirmedChange } from '../../vault/confirmed-change.js';
import { Dialog } from '../../design/dialog.js';
import { useAppForm, withForm } from '../../design/form.js';
import { Block, Quiet } from '../../design/pieces.js';
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
  const form = useAppForm({ defaultValues: EMPTY });
  const fields = useStore(form.store, ({ values }) => values);
  const create = useChange((calls) => calls.call('create-user', { body: bodyOf(fields) }));
  if (create.isSuccess) {
    return (
      <Dialog title="User made" onClose={onClose}>
        <Created user={create.data} />
      </Dialog>
    );
  }
  return (
    <Dialog title="New user" onClose={onClose}>
      <UserForm form={form} kind={fields.kind} />
      <Quiet>A new user may do nothing until a policy names them or a group of theirs.</Quiet>
      <ConfirmedChange
        label={`Make ${fields.kind === 'human' ? 'person' : 'machine'} ${visibleText(fields.name.trim())}`}
        disabledBecause={missingOf(fields)}
        change={create}
      />
    </Dialog>
  );
}

const UserForm = withForm({
  defaultValues: EMPTY,
  props: {} as Pick<UserFields, 'kind'>,
  render: ({ form: { AppField }, kind }) => (
    <>
      <AppField name="kind">
        {(field) => <field.ChoiceField label="Kind" options={KINDS} />}
      </AppField>
      <AppField name="name">{(field) => <field.TextField label="Name" maxLength={128} />}</AppField>
      {kind === 'human' ? (
        <>
          <AppField name="email">
            {(field) => <field.TextField label="Email" type="email" maxLength={254} />}
          </AppField>
          <AppField name="provider">
            {(field) => <field.ChoiceField label="Signs in at" options={PROVIDERS} />}
          </AppField>
        </>
      ) : (
        <AppField name="publicKey">
          {(field) => (
            <field.TextField label="Public key (32 bytes, hex or base64url)" maxLength={64} />
          )}
        </AppField>
      )}
    </>
  ),
});

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
function Created({ user }: { readonly user: CreatedUser }) {
  const secret = user.type === 'human' ? user.enrollment_code : user.api_key;
  return (
    <>
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
    </>
  );
}
