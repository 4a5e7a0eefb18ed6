/** Makes, changes or deletes a list of the address book. */
import { useState } from 'react';
import { Button } from '../../design/button.js';
import { Dialog } from '../../design/dialog.js';
import { Field, Quiet, Row, Unseen } from '../../design/pieces.js';
import { visibleText } from '../../design/visible-text.js';
import { ConfirmedChange } from '../../vault/confirmed-change.js';
import { DeletionDialog } from '../../vault/deletion-dialog.js';
import { useAllRows, useChange } from '../../vault/vault-queries.js';
import { WaitingNote } from '../../vault/waiting-note.js';
import {
  addressListOf,
  changesOf,
  formOf,
  missingIn,
  newAddressList,
  newEntry,
  rulesNaming,
  type AddressList,
  type AddressListForm,
  type EntryForm,
} from './address-list-form.js';
import styles from './address-book.module.css';

interface AddressListDialogProps {
  /** Absent: a new one. */
  readonly before?: AddressList;
  readonly onClose: () => void;
}

export function AddressListDialog({ before, onClose }: AddressListDialogProps) {
  const [form, setForm] = useState(() =>
    before === undefined ? newAddressList() : formOf(before),
  );
  const publish = useChange((calls) =>
    before === undefined
      ? calls.call('create-address-list', { body: addressListOf(form) })
      : calls.call('update-address-list', {
          params: { list_id: before.id },
          body: { ...addressListOf(form), version: before.version },
        }),
  );
  const name = visibleText(form.name.trim());
  if (publish.isSuccess) {
    return (
      <Dialog title="Done" onClose={onClose}>
        <p role="status">
          {before === undefined
            ? `${name} is there. Name it in a rule next, under “Destinations in lists”.`
            : `Rules that name ${name} go by it from now on.`}
        </p>
      </Dialog>
    );
  }
  return (
    <Dialog
      title={before === undefined ? 'New address list' : 'Change an address list'}
      onClose={onClose}
    >
      <ListFields form={form} set={(change) => setForm({ ...form, ...change })} />
      {before !== undefined && <Changes before={before} form={form} />}
      <WaitingNote action="manage_signing_policies" vaultIds={[]} />
      <ConfirmedChange
        label={before === undefined ? `Make address list ${name}` : `Change address list ${name}`}
        disabledBecause={missingIn(form)}
        change={publish}
      />
    </Dialog>
  );
}

interface ListFieldsProps {
  readonly form: AddressListForm;
  readonly set: (change: Partial<AddressListForm>) => void;
}

function ListFields({ form, set }: ListFieldsProps) {
  const { entries } = form;
  const change = (changed: EntryForm) =>
    set({ entries: entries.map((one) => (one.key === changed.key ? changed : one)) });
  return (
    <>
      <Field label="Name">
        <input
          value={form.name}
          maxLength={128}
          onChange={({ target }) => set({ name: target.value })}
        />
      </Field>
      <Field label="What it is for (may be empty)">
        <input
          value={form.description}
          maxLength={1024}
          onChange={({ target }) => set({ description: target.value })}
        />
      </Field>
      <fieldset className={styles.entries}>
        <legend>Addresses</legend>
        {entries.map((entry, place) => (
          <EntryFields
            key={entry.key}
            entry={entry}
            place={place + 1}
            onChange={change}
            onRemove={() => set({ entries: entries.filter(({ key }) => key !== entry.key) })}
          />
        ))}
        <Row>
          <Button onPress={() => set({ entries: [...entries, newEntry()] })}>Add an address</Button>
        </Row>
      </fieldset>
    </>
  );
}

interface EntryFieldsProps {
  readonly entry: EntryForm;
  readonly place: number;
  readonly onChange: (entry: EntryForm) => void;
  readonly onRemove: () => void;
}

function EntryFields({ entry, place, onChange, onRemove }: EntryFieldsProps) {
  return (
    <div className={styles.entry}>
      <Field label={`Address ${place}`}>
        <input
          value={entry.address}
          maxLength={256}
          spellCheck={false}
          onChange={({ target }) => onChange({ ...entry, address: target.value })}
        />
      </Field>
      <Field label={`Whose it is, ${place}`}>
        <input
          value={entry.name}
          maxLength={128}
          onChange={({ target }) => onChange({ ...entry, name: target.value })}
        />
      </Field>
      <Button onPress={onRemove}>
        Take out<Unseen> address {place}</Unseen>
      </Button>
    </div>
  );
}

interface ChangesProps {
  readonly before: AddressList;
  readonly form: AddressListForm;
}

/** What is signed: entries that come and go, and the rules that go by them. */
function Changes({ before, form }: ChangesProps) {
  const { added, removed } = changesOf(before, form);
  return (
    <>
      <div role="status">
        {added.length + removed.length === 0 && <Quiet>No address differs.</Quiet>}
        <Lines label="Comes in" lines={added} />
        <Lines label="Goes out" lines={removed} />
      </div>
      <NamingRules list={before} />
    </>
  );
}

function Lines({ label, lines }: { readonly label: string; readonly lines: readonly string[] }) {
  if (lines.length === 0) return null;
  return (
    <>
      <strong>{label}:</strong>
      <ul className={styles.lines}>
        {lines.map((line) => (
          <li key={line}>{visibleText(line)}</li>
        ))}
      </ul>
    </>
  );
}

function useNamingRules(listId: string): { readonly names: string[]; readonly isWhole: boolean } {
  const { rows, query } = useAllRows('list-signing-policies', { query: { limit: '100' } });
  return { names: rulesNaming(listId, rows), isWhole: query.isSuccess && !query.hasNextPage };
}

function NamingRules({ list }: { readonly list: AddressList }) {
  const { names, isWhole } = useNamingRules(list.id);
  if (names.length > 0) return <Lines label="Rules that go by it" lines={names} />;
  return <Quiet>{isWhole ? 'No rule names it.' : 'Reading which rules name it …'}</Quiet>;
}

interface DeleteAddressListDialogProps {
  readonly list: AddressList;
  readonly onClose: () => void;
}

export function DeleteAddressListDialog({ list, onClose }: DeleteAddressListDialogProps) {
  const { names } = useNamingRules(list.id);
  const remove = useChange((calls) =>
    calls.call('delete-address-list', { params: { list_id: list.id } }),
  );
  const name = visibleText(list.display_name);
  return (
    <DeletionDialog
      act={`Delete address list ${name}`}
      done={`${name} is gone.`}
      disabledBecause={names.length > 0 ? 'Rules name it: take it out of them first.' : undefined}
      change={remove}
      onClose={onClose}
    >
      <p>
        Its {list.entries.length} {list.entries.length === 1 ? 'address is' : 'addresses are'} in no
        list any more, unless another has them.
      </p>
      <NamingRules list={list} />
      <WaitingNote action="manage_signing_policies" vaultIds={[]} />
    </DeletionDialog>
  );
}
