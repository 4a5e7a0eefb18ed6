import { describe, expect, it } from '@jest/globals';
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
} from './address-list-form.js';

const LIST = {
  display_name: 'Cold storage',
  description: null,
  entries: [
    { address: 'ours-1', display_name: 'Vault in Zug' },
    { address: 'ours-2', display_name: 'Bank' },
  ],
} as unknown as AddressList;

describe('the form of an address list', () => {
  it('gives back what it was made of, without lines in which nothing is written', () => {
    const form = formOf(LIST);
    expect(addressListOf(form)).toEqual(LIST);
    const entries = [newEntry(' '), ...form.entries, newEntry()];
    expect(addressListOf({ ...form, entries })).toEqual(LIST);
  });

  it('says whether something differs: spaces and empty lines do not', () => {
    const form = formOf(LIST);
    expect(isChanged(undefined, newAddressList())).toBe(true);
    expect(
      isChanged(LIST, { ...form, name: ' Cold storage ', entries: [...form.entries, newEntry()] }),
    ).toBe(false);
    expect(isChanged(LIST, { ...form, description: 'of the desk' })).toBe(true);
    expect(isChanged(LIST, { ...form, entries: form.entries.slice(1) })).toBe(true);
  });

  it.each([
    ['Give it a name first.', { name: ' ' }],
    ['Write an address first.', { entries: [newEntry()] }],
    ['Write each address first.', { entries: [newEntry('', 'Bank')] }],
    ['Say of each address whose it is.', { entries: [newEntry('ours-1')] }],
    ['stands there twice', { entries: [newEntry('a', 'A'), newEntry(' a ', 'B')] }],
  ])('%s', (text, change) => {
    expect(missingIn({ ...formOf(LIST), ...change })).toContain(text);
    expect(missingIn(formOf(LIST))).toBeUndefined();
  });

  it('says what a change adds and takes away', () => {
    const form = formOf(LIST);
    expect(changesOf(LIST, form)).toEqual({ added: [], removed: [] });
    const entries = [form.entries[0]!, newEntry('ours-2', 'Other bank')];
    expect(changesOf(LIST, { ...form, entries })).toEqual({
      added: ['ours-2 (Other bank)'],
      removed: ['ours-2 (Bank)'],
    });
    expect(changesOf(LIST, newAddressList()).removed).toHaveLength(2);
  });
});

it('the rules that go by a list are named with their policies', () => {
  const rule = (display_name: string, destination_lists?: string[]) => ({
    display_name,
    when: { destination_lists },
  });
  const policies = [
    { display_name: 'P', rules: [rule('one', ['a', 'b']), rule('two', ['b']), rule('three')] },
  ];
  expect(rulesNaming('a', policies)).toEqual(['one (policy P)']);
  expect(rulesNaming('c', policies)).toEqual([]);
});
