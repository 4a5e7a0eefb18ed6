/** A state written down and read back goes on as the one that it was read from. */
import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import {
  EMPTY_STATE,
  type AdminPolicy,
  type SigningPolicy,
  type VaultState,
} from '../state/state.js';
import { readState, writeState } from './state-text.js';
import { deleteRow, insertRow, replaceRow } from '../state/table.js';

const copyOf = (state: VaultState) => readState(writeState(state));

const freeze = { at: 1, by: 'somebody', reason: null };
const ordersOf = ({ frozenVenues, nonces }: VaultState) => [[...frozenVenues.keys()], [...nonces]];

function change(
  state: VaultState,
  { name, isGone }: { name: string; isGone: boolean },
): VaultState {
  const { frozenVenues, nonces } = state;
  return isGone
    ? { ...state, frozenVenues: frozenVenues.delete(name), nonces: nonces.delete(name) }
    : { ...state, frozenVenues: frozenVenues.set(name, freeze), nonces: nonces.add(name) };
}

const STAMPS = { createdAt: 1, createdBy: 'a', lastUpdatedAt: 1, lastUpdatedBy: 'a' };

function policy(id: string, version: number, displayName = id): SigningPolicy {
  return { id, displayName, securityGroupId: 'group', version, rules: [], ...STAMPS };
}

describe('a state that was written down', () => {
  it('gives what is in it in the same order, whatever came and went, and goes on doing so', () => {
    // 'Aa' and 'BB' have one hash: what Immutable does with such is looked at too
    const names = [
      'a',
      'b',
      'c',
      'd',
      'e',
      'f',
      'g',
      'h',
      'i',
      'j',
      'k',
      'l',
      'Aa',
      'BB',
      'AaAa',
      'BBBB',
      'AaBB',
    ];
    const step = fc.record({ name: fc.constantFrom(...names), isGone: fc.boolean() });
    fc.assert(
      fc.property(fc.array(step, { maxLength: 40, size: 'max' }), (steps) => {
        let state = EMPTY_STATE;
        let copies: VaultState[] = [];
        for (const one of steps) {
          state = change(state, one);
          copies = [...copies.map((copy) => change(copy, one)), copyOf(state)];
          for (const copy of copies) expect(ordersOf(copy)).toEqual(ordersOf(state));
        }
      }),
      { numRuns: 40 },
    );
  });

  it('has what JSON does not know', () => {
    const labels = JSON.parse('{"__proto__": "a", "$": "undefined", "1": "b"}') as object;
    const settings = { ...EMPTY_STATE.settings, labels, none: undefined, list: [undefined, null] };
    const copy = copyOf({ ...EMPTY_STATE, settings });
    expect(Object.keys(copy.settings)).toEqual(Object.keys(settings));
    expect(copy.settings).toStrictEqual(settings);
    expect(Object.keys((copy.settings as typeof settings).labels)).toEqual(Object.keys(labels));
  });

  it('has a row once that stands in an index as well, and those that are gone', () => {
    let { signingPolicies } = EMPTY_STATE;
    signingPolicies = insertRow(signingPolicies, policy('p', 1));
    signingPolicies = replaceRow(signingPolicies, policy('p', 2, 'newer'));
    signingPolicies = deleteRow(insertRow(signingPolicies, policy('q', 1)), 'q');
    const copy = copyOf({ ...EMPTY_STATE, signingPolicies }).signingPolicies;
    expect(copy.indexes.byVersion.get('p/2')).toBe(copy.rows.get('p'));
    expect(copy.indexes.byVersion.toObject()).toEqual(signingPolicies.indexes.byVersion.toObject());
    expect(copy.order.toArray()).toEqual(['p', 'q']);
    // and its indexes are kept as before
    expect(insertRow(copy, policy('r', 1)).indexes.byVersion.size).toBe(4);
  });

  it('holds equal short lists, and what is empty, once', () => {
    const [a, b] = [['x', 'y'], []].map((userIds, index) => ({
      ...{
        id: `policy ${index}`,
        displayName: 'p',
        action: 'create_wallet',
        effect: 'allow',
        version: 1,
      },
      ...{
        subjects: { userIds, userGroupIds: [...userIds] },
        scopeVaultIds: [],
        labels: {},
        ...STAMPS,
      },
    })) as unknown as AdminPolicy[];
    const adminPolicies = insertRow(insertRow(EMPTY_STATE.adminPolicies, a!), b!);
    const { rows } = copyOf({ ...EMPTY_STATE, adminPolicies }).adminPolicies;
    const [one, two] = [...rows.values()] as (AdminPolicy & { labels: object })[];
    expect(one!.subjects.userIds).toBe(one!.subjects.userGroupIds);
    expect(one!.scopeVaultIds).toBe(two!.scopeVaultIds);
    expect(two!.subjects.userIds).toBe(two!.scopeVaultIds);
    expect(one!.labels).toBe(two!.labels);
    expect([one, two]).toStrictEqual([a, b]);
  });

  it('is not read where a part of it is missing', () => {
    const lines = [...writeState(insertUser())];
    for (const end of [0, 1, lines.length - 1]) {
      expect(() => readState(lines.slice(0, end).values())).toThrow();
    }
    expect(() => readState([...lines, '[["x"],"heap",0]'].values())).toThrow('no form');
  });

  it('is not written where a number is none, or a value is of no kind that a state has', () => {
    const write = (systemFreeze: unknown) => () => [
      ...writeState({ ...EMPTY_STATE, systemFreeze } as VaultState),
    ];
    expect(write({ ...freeze, at: Number.NaN })).toThrow('NaN');
    expect(write(new Date(0))).toThrow('no value of a state');
  });
});

function insertUser(): VaultState {
  const signingPolicies = insertRow(EMPTY_STATE.signingPolicies, policy('p', 1));
  const { pendingRequests, ...others } = { ...EMPTY_STATE, signingPolicies };
  return { ...others, pendingRequests, nonces: EMPTY_STATE.nonces.add('last') };
}
