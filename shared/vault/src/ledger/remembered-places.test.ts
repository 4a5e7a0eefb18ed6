import { describe, expect, it } from '@jest/globals';
import { EMPTY_STATE, type VaultState } from '../state/state.js';
import { HEADS_KEPT } from './party-statement.js';
import { rememberPlaces, STATES_KEPT } from './remembered-places.js';

function stateAt(time: number): VaultState {
  return { ...EMPTY_STATE, time };
}

describe('the last places of a ledger', () => {
  it('tell what was in force at each, and by which rules', () => {
    const places = rememberPlaces();
    const [first, second] = [stateAt(1), stateAt(2)];
    places.add(1, 'a', { state: first, rules: 1 });
    places.add(2, 'b', { state: first, rules: 1 });
    places.add(3, 'c', { state: second, rules: 1 });
    places.add(4, 'd', { state: second, rules: 2 });
    expect(places.at(1, 'a')).toEqual({ state: { ...first, seq: 1, headHash: 'a' }, rules: 1 });
    expect(places.at(2, 'b')).toEqual({ state: { ...first, seq: 2, headHash: 'b' }, rules: 1 });
    expect(places.at(3, 'c')).toEqual({ state: { ...second, seq: 3, headHash: 'c' }, rules: 1 });
    expect(places.at(4, 'd')).toEqual({ state: { ...second, seq: 4, headHash: 'd' }, rules: 2 });
    expect(places.at(4, 'c')).toBeUndefined();
    expect(places.at(5, 'e')).toBeUndefined();
  });

  it('forget hashes by their number, and what was in force by the changes since', () => {
    const places = rememberPlaces();
    const kept = stateAt(1);
    for (let seq = 1; seq <= HEADS_KEPT + 2; seq++)
      places.add(seq, `${seq}`, { state: kept, rules: 1 });
    expect(places.hashAt(1)).toBeUndefined();
    expect(places.hashAt(2)).toBe('2');
    // rows that change nothing push nothing out
    expect(places.at(2, '2')?.state.time).toBe(1);

    const next = HEADS_KEPT + 3;
    for (let change = 0; change < STATES_KEPT; change++) {
      places.add(next + change, `${next + change}`, { state: stateAt(2 + change), rules: 1 });
    }
    const lastOfKept = next - 1;
    expect(places.hashAt(lastOfKept)).toBe(`${lastOfKept}`);
    expect(places.at(lastOfKept, `${lastOfKept}`)).toBeUndefined();
    expect(places.at(next, `${next}`)?.state.time).toBe(2);
  });
});
