/** Makes, changes or deletes a list of the address book. */
import { useStore } from '@tanstack/react-form';
import type { CallResult } from '@countersign/client/call-result.js';
import type { OperationCalls } from '@countersign/client/operation-calls.js';
import { useState } from 'react';
import { Button } from '../../design/button.js';
import { Dialog } from '../../design/dialog.js';
import { useAppForm, withForm } from '../../design/form.js';
import { Quiet, Row, Unseen } from '../../design/pieces.js';
import { visibleText } from '../../design/visible-text.js';
import { useKept } from '../../session/kept-input.js';
import { ConfirmedChange } from '../../vault/confirmed-change.js';
import { DeletionDialog } from '../../vault/deletion-dialog.js';
import { isPending, useAllRows, useChange } from '../../vault/vault-queries.js';
import { WaitingNote } from '../../vault/waiting-note.js';
import {
  addressListOf,
  changesOf,
  formOf,
  isChanged,
  missingIn,
  newAddressList,
  newEntry,
  rulesNaming,
  type AddressList,
  type AddressListForm,
} from './address-list-form.js';
import styles from './address-book.module.css';

interface AddressListDialogProps {
  /** Absent: a new one. */
  readonly before?: AddressList;
  readonly onClose: () => void;
  /** What the vault answered; where it is there, a form takes the place of words that say so. */
  readonly onAnswer?: (answer: CallResult<AddressList>, name: string) => void;
}

export function AddressListDialog({ before, onClose, onAnswer }: AddressListDialogProps) {
  const [fresh] = useState(() => (before === undefined ? newAddressList() : formOf(before)));
  const [kept, keep] = useKept(`address list ${before?.id} ${before?.version}`, fresh);
  const [defaultValues] = useState(kept);
  const form = useAppForm({
    defaultValues,
    listeners: { onChange: ({ formApi }) => keep(formApi.state.values) },
  });
  const stated = useStore(form.store, ({ values }) => values);
  const publish = useChange(async (calls) => {
    const answer = await publishList(calls, before, stated);
    // what the vault has is not to be asked for again
    if (answer.ok || isPending(answer)) keep(fresh);
    onAnswer?.(answer, stated.name.trim());
    return answer;
  });
  const name = visibleText(stated.name.trim());
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
      <ListFields form={form} />
      {before !== undefined && <Changes before={before} form={stated} />}
      <WaitingNote action="manage_signing_policies" vaultIds={[]} />
      <ConfirmedChange
        label={before === undefined ? `Make address list ${name}` : `Change address list ${name}`}
        disabledBecause={
          missingIn(stated) ?? (isChanged(before, stated) ? undefined : 'Nothing differs.')
        }
        change={publish}
      />
    </Dialog>
  );
}

function publishList(
  calls: OperationCalls,
  before: AddressList | undefined,
  stated: AddressListForm,
): Promise<CallResult<AddressList>> {
  const body = addressListOf(stated);
  return before === undefined
    ? calls.call('create-address-list', { body })
    : calls.call('update-address-list', {
        params: { list_id: before.id },
        body: { ...body, version: before.version },
      });
}

const ListFields = withForm({
  defaultValues: {} as AddressListForm,
  render: ({ form: { AppField } }) => (
    <>
      <AppField name="name">{(field) => <field.TextField label="Name" maxLength={128} />}</AppField>
      <AppField name="description">
        {(field) => <field.TextField label="What it is for (may be empty)" maxLength={1024} />}
      </AppField>
      <AppField name="entries" mode="array">
        {(entries) => (
          <fieldset className={styles.entries}>
            <legend>Addresses</legend>
            {entries.state.value.map(({ key }, index) => (
              <div key={key} className={styles.entry}>
                <AppField name={`entries[${index}].address`}>
                  {(field) => (
                    <field.TextField
                      label={`Address ${index + 1}`}
                      maxLength={256}
                      spellCheck={false}
                    />
                  )}
                </AppField>
                <AppField name={`entries[${index}].name`}>
                  {(field) => (
                    <field.TextField label={`Whose it is, ${index + 1}`} maxLength={128} />
                  )}
                </AppField>
                <Button onPress={() => entries.removeValue(index)}>
                  Take out<Unseen> address {index + 1}</Unseen>
                </Button>
              </div>
            ))}
            <Row>
              <Button onPress={() => entries.pushValue(newEntry())}>Add an address</Button>
            </Row>
          </fieldset>
        )}
      </AppField>
    </>
  ),
});

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
