import { describe, expect, it } from '@jest/globals';
import { localMinute } from '../../design/local-minute.js';
import {
  NO_FILTERS,
  ofLastDays,
  queryOf,
  savedFrom,
  subjectsOfSearch,
  withoutWord,
  withSaved,
  withWord,
  wordsIn,
} from './audit-filters.js';
import { CHAIN_START, checkChain, type AuditEntry } from './chain-check.js';

describe('filters of the audit log', () => {
  it('are asked for as the API takes them, and only where they say something', () => {
    const filters = { ...NO_FILTERS, outcome: 'denied', actions: ' create-user, sign ' };
    expect(queryOf(filters)).toEqual({ outcome: 'denied', actions: 'create-user,sign' });
    const { from } = queryOf({ ...NO_FILTERS, from: '2026-11-22T12:00' });
    expect(new Date(from!).getTime()).toBe(new Date('2026-11-22T12:00').getTime());
  });

  it('begin so many days ago by the clock on the wall', () => {
    const now = Date.parse('2026-11-22T12:00:59Z');
    expect(ofLastDays(7, now, 0)).toEqual({ from: '2026-11-15T12:00', to: '' });
    expect(ofLastDays(1, now, -330)).toEqual({ from: '2026-11-21T17:30', to: '' });
    const { from } = ofLastDays(1, now, new Date(now).getTimezoneOffset());
    expect(queryOf({ ...NO_FILTERS, from })['from']).toBe('2026-11-21T12:00:00.000Z');
  });

  it('of an address are ids of users, keys and vaults, wallets, and refusals since a moment', () => {
    const search = { key_ids: 'a', user_ids: 7, vault_ids: ['b'], outcome: 'allowed', to: '2020' };
    expect(subjectsOfSearch(search)).toEqual({ key_ids: 'a' });
    const others = { wallet_addresses: 'a', actions: 'sign,raw-sign' };
    expect(subjectsOfSearch(others)).toEqual(others);
    const refused = { outcome: 'denied', from: localMinute(Date.parse('2026-11-22T12:00:59Z'), 0) };
    expect(refused.from).toBe('2026-11-22T12:00');
    expect(subjectsOfSearch(refused)).toEqual(refused);
    expect(subjectsOfSearch({ from: 'soon' })).toEqual({});
  });

  it('take what was found by a name, each once, beside what is there, and let it go again', () => {
    const first = { ...NO_FILTERS, ...withWord(NO_FILTERS, 'key_ids', 'one') };
    expect(first).toEqual({ ...NO_FILTERS, key_ids: 'one' });
    expect({ ...first, ...withWord(first, 'key_ids', 'one') }).toEqual(first);
    const both = { ...first, ...withWord({ ...first, key_ids: ' one , ' }, 'key_ids', 'other') };
    expect(wordsIn(both.key_ids)).toEqual(['one', 'other']);
    expect(queryOf(both)).toEqual({ key_ids: 'one,other' });
    expect(withWord(both, 'actions', 'create-user')).toEqual({ actions: 'create-user' });
    expect(withoutWord(both, 'key_ids', 'one')).toEqual({ key_ids: 'other' });
    expect(withoutWord(first, 'key_ids', 'one')).toEqual({ key_ids: '' });
  });

  it.each([null, '', '7', '{"a":1}', '[7,null,{"name":7,"filters":{}}]', '<script>'])(
    'that are none are left out: %j',
    (text) => {
      expect(savedFrom(text)).toEqual([]);
    },
  );

  it('are read back as they were saved, without what is no filter', () => {
    const one = { name: 'mine', filters: { ...NO_FILTERS, outcome: 'denied' } };
    const text = JSON.stringify([{ ...one, filters: { ...one.filters, more: 1, to: 7 } }]);
    expect(savedFrom(text)).toEqual([one]);
  });

  it('of the same name replace each other', () => {
    const first = { name: 'mine', filters: NO_FILTERS };
    const second = { name: 'mine', filters: { ...NO_FILTERS, outcome: 'denied' } };
    expect(withSaved(withSaved([], first), second)).toEqual([second]);
  });
});

describe('a chain of entries', () => {
  const hashOf = (seq: number) => String(seq).padStart(64, '0');
  const entry = (seq: number, more: Partial<AuditEntry> = {}) =>
    ({ seq, hash: hashOf(seq), prev_hash: hashOf(seq - 1), ...more }) as AuditEntry;
  const chain = [entry(1), entry(2), entry(3)];

  it('hangs together', () => {
    expect(checkChain(chain, CHAIN_START)).toEqual({ entries: 3 });
    expect(checkChain([entry(4)], { seq: 3, hash: hashOf(3) })).toEqual({ entries: 1 });
  });

  it.each<[string, AuditEntry[], number]>([
    ['an entry is missing', [entry(1), entry(3)], 3],
    ['its beginning is missing', [entry(2)], 2],
    ['an entry was replaced', [entry(1), entry(2, { hash: hashOf(9) }), entry(3)], 3],
    ['two were swapped', [entry(2), entry(1)], 2],
  ])('does not where %s', (_what, entries, brokenAt) => {
    expect(checkChain(entries, CHAIN_START).brokenAt).toBe(brokenAt);
  });
});
