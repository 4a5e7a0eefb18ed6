/** A list of the address book as a form. */
import type { OperationValue } from '@countersign/client/operation-calls.js';

export type AddressList = OperationValue<'get-address-list'>;

export interface EntryForm {
  /** Tells it from the others for as long as it is on the page. */
  readonly key: string;
  readonly address: string;
  readonly name: string;
}

export interface AddressListForm {
  readonly name: string;
  readonly description: string;
  readonly entries: EntryForm[];
}

export function newEntry(address = '', name = ''): EntryForm {
  return { key: crypto.randomUUID(), address, name };
}

export function newAddressList(): AddressListForm {
  return { name: '', description: '', entries: [newEntry()] };
}

export function formOf({ display_name: name, description, entries }: AddressList): AddressListForm {
  return {
    name,
    description: description ?? '',
    entries: entries.map((one) => newEntry(one.address, one.display_name)),
  };
}

/** As requests state it; lines in which nothing is written are left out. */
export function addressListOf({ name, description, entries }: AddressListForm) {
  return {
    display_name: name.trim(),
    description: description.trim() === '' ? null : description.trim(),
    entries: writtenIn(entries).map((one) => ({
      address: one.address.trim(),
      display_name: one.name.trim(),
    })),
  };
}

/** Why it cannot be signed yet. */
export function missingIn({ name, entries }: AddressListForm): string | undefined {
  if (name.trim() === '') return 'Give it a name first.';
  const written = writtenIn(entries);
  if (written.length === 0) return 'Write an address first.';
  if (written.some((one) => one.address.trim() === '')) return 'Write each address first.';
  const unnamed = written.find((one) => one.name.trim() === '');
  if (unnamed !== undefined) return 'Say of each address whose it is.';
  const addresses = written.map(({ address }) => address.trim());
  return new Set(addresses).size === addresses.length
    ? undefined
    : 'An address stands there twice.';
}

/** Of a new list, which is nothing `before`, always. */
export function isChanged(before: AddressList | undefined, form: AddressListForm): boolean {
  const textOf = (one: AddressListForm) => JSON.stringify(addressListOf(one));
  return before === undefined || textOf(form) !== textOf(formOf(before));
}

function writtenIn(entries: readonly EntryForm[]): readonly EntryForm[] {
  return entries.filter(({ address, name }) => `${address}${name}`.trim() !== '');
}

/** What a change of entries does, an address to a line; a new name alone counts as well. */
export interface EntryChanges {
  readonly added: readonly string[];
  readonly removed: readonly string[];
}

export function changesOf(before: AddressList, form: AddressListForm): EntryChanges {
  const line = (one: AddressList['entries'][number]) => `${one.address} (${one.display_name})`;
  const was = before.entries.map(line);
  const is = addressListOf(form).entries.map(line);
  return {
    added: is.filter((one) => !was.includes(one)),
    removed: was.filter((one) => !is.includes(one)),
  };
}

interface NamingPolicy {
  readonly display_name: string;
  readonly rules: readonly {
    readonly display_name: string;
    readonly when: { readonly destination_lists?: readonly string[] | undefined };
  }[];
}

/** Rules that go by the list, with their policies. */
export function rulesNaming(listId: string, policies: readonly NamingPolicy[]): string[] {
  return policies.flatMap((policy) =>
    policy.rules
      .filter(({ when }) => when.destination_lists?.includes(listId) === true)
      .map((rule) => `${rule.display_name} (policy ${policy.display_name})`),
  );
}
