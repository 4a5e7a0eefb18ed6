import { describe, expect, it } from '@jest/globals';
import { Map, Set } from 'immutable';
import { stateHash } from './state-hash.js';
import { EMPTY_STATE, type Freeze, type VaultState } from './state.js';
import { deleteRow, insertRow, replaceRow } from './table.js';

const group = (id: string, displayName = id) => ({
  id,
  displayName,
  description: null,
  createdAt: 1,
  createdBy: 'x',
  lastUpdatedAt: 1,
  lastUpdatedBy: 'x',
});

const freeze = (by: string): Freeze => ({ at: 1, by, reason: null });

const withFrozenVenues = (venues: Record<string, Freeze>): VaultState => ({
  ...EMPTY_STATE,
  frozenVenues: Map(venues),
});

const withGroups = (...ids: string[]): VaultState => ({
  ...EMPTY_STATE,
  userGroups: ids.reduce((table, id) => insertRow(table, group(id)), EMPTY_STATE.userGroups),
});

describe('the state hash', () => {
  it('does not depend on the order in which maps, sets and fields were filled', () => {
    const one = {
      ...EMPTY_STATE,
      nonces: Set(['a', 'b']),
      frozenVenues: Map({ k: freeze('1'), l: freeze('2') }),
    };
    const two = Object.fromEntries(Object.entries(one).toReversed()) as unknown as VaultState;
    const three = {
      ...two,
      nonces: Set(['b', 'a']),
      frozenVenues: Map({ l: freeze('2'), k: freeze('1') }),
    };
    expect(stateHash(two)).toBe(stateHash(one));
    expect(stateHash(three)).toBe(stateHash(one));
  });

  it('is the same for maps of many keys, whatever their history', () => {
    const keys = Array.from({ length: 500 }, (_, index) => `key-${index}`);
    const fill = (from: readonly string[]) =>
      from.reduce((map, key) => map.set(key, freeze(key)), EMPTY_STATE.frozenVenues);
    const [one, two] = [keys, [...keys.toReversed(), 'extra']].map((from) => ({
      ...EMPTY_STATE,
      frozenVenues: fill(from).delete('extra'),
    }));
    expect(stateHash(one!)).toBe(stateHash(two!));
  });

  it('tells apart rows in another order, other values, and absence from emptiness', () => {
    const states: VaultState[] = [
      EMPTY_STATE,
      withGroups('a'),
      withGroups('a', 'b'),
      withGroups('b', 'a'),
      { ...withGroups('a'), userGroups: replaceRow(withGroups('a').userGroups, group('a', 'z')) },
      { ...withGroups('a'), userGroups: deleteRow(withGroups('a').userGroups, 'a') },
      { ...EMPTY_STATE, nonces: Set(['1']) },
      { ...EMPTY_STATE, nonces: Set(['1', '2']) },
      { ...EMPTY_STATE, nonces: Set(['1,2']) },
      { ...EMPTY_STATE, seq: 1 },
      { ...EMPTY_STATE, systemFreeze: { at: 1, by: 'x', reason: null } },
      { ...EMPTY_STATE, systemFreeze: { at: 1, by: 'x', reason: '' } },
      withFrozenVenues({ a: freeze('b') }),
      withFrozenVenues({ a: freeze('b"},"c":{"by":"d') }),
      withFrozenVenues({ a: freeze('b'), c: freeze('d') }),
      { ...EMPTY_STATE, evidenceKeys: [{ id: 'a', heldBy: [] }] },
    ];
    expect(new globalThis.Set(states.map(stateHash)).size).toBe(states.length);
  });
});
