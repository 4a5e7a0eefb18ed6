import { describe, expect, it } from '@jest/globals';
import type { LedgerFollower } from '@countersign/runtime/ledger/ledger-follower.js';
import { EMPTY_STATE, type VaultState } from '@countersign/vault/state/state.js';
import { SUPERSEDED_AFTER_MS, watchHeads } from './seen-heads.js';

/** A fold that is told what comes in force, and a clock of the test. */
function openWatched() {
  let state: VaultState = { ...EMPTY_STATE, seq: 5 };
  let clock = 0;
  const listeners: (() => void)[] = [];
  const follower = {
    get view() {
      return { state };
    },
    onOutcomes: (listener: () => void) => void listeners.push(listener),
  } as unknown as LedgerFollower;
  const heads = watchHeads(follower, () => clock);
  return {
    heads,
    pass: (ms: number) => void (clock += ms),
    comeTo(seq: number, more: Partial<VaultState> = {}) {
      state = { ...state, ...more, seq };
      for (const listener of listeners) listener();
    },
  };
}

const change = (vaultId: string) => ({ vaultId });

describe('a head is superseded', () => {
  it('once a change after it has been known for some seconds, and not before', () => {
    const { heads, pass, comeTo } = openWatched();
    comeTo(7, change('a'));
    pass(SUPERSEDED_AFTER_MS - 1);
    expect(heads.isSuperseded(5)).toBe(false);
    pass(1);
    expect([5, 6, 7, 8].map((seq) => heads.isSuperseded(seq))).toEqual([true, true, false, false]);
  });

  it('by no statements and refused entries, however many and however long ago', () => {
    const { heads, pass, comeTo } = openWatched();
    for (let seq = 6; seq < 60; seq += 1) comeTo(seq);
    pass(SUPERSEDED_AFTER_MS * 100);
    expect(heads.isSuperseded(5)).toBe(false);
  });

  it('by the oldest change that is old enough, however quickly changes follow each other', () => {
    const { heads, pass, comeTo } = openWatched();
    for (let seq = 6; seq < 36; seq += 1) {
      pass(1_000);
      comeTo(seq, change(String(seq)));
    }
    // the newest that has been known for long enough is ten changes back
    expect([24, 25, 26].map((seq) => heads.isSuperseded(seq))).toEqual([true, false, false]);
  });
});
