import { afterEach, beforeEach, describe, expect, it, jest } from '@jest/globals';
import type { EntryOutcome } from '@countersign/vault/ledger/entry-outcome.js';
import type { EntryRow } from '@countersign/vault/ledger/entry.js';
import { BrokenChainError } from '@countersign/vault/ledger/fold.js';
import { EMPTY_STATE, type VaultState } from '@countersign/vault/state/state.js';
import { FollowedFold, rowsBeyond } from './followed-fold.js';

const NOW = 1_800_000_000_000;
const MINUTE_MS = 60_000;

function row(seq: number): EntryRow {
  return {
    seq,
    prevHash: Buffer.alloc(32, seq - 1),
    hash: Buffer.alloc(32, seq),
    body: Buffer.alloc(0),
  };
}

/** A fold that gives each entry the date that the test wants; a row of seq 13 breaks it. */
function openFollowed({ at = NOW, kind = 'evidence', isWatching = true, refused = false } = {}) {
  let state: VaultState = EMPTY_STATE;
  const faults: Error[] = [];
  const followed = new FollowedFold({
    fold: {
      get state() {
        return state;
      },
      advance(rows) {
        return rows.map(({ seq }) => {
          if (seq === 13) throw new BrokenChainError('thirteen');
          state = { ...state, seq };
          return { seq, at, kind, ...(refused && { refusal: {} }) } as unknown as EntryOutcome;
        });
      },
    },
    watchedClock: isWatching ? () => NOW : undefined,
    onFault: (fault) => void faults.push(fault),
  });
  return { followed, faults };
}

beforeEach(() => {
  jest.useFakeTimers();
});
afterEach(() => {
  jest.useRealTimers();
});

describe('a fold that is followed', () => {
  it('is at the head as of the read that last showed it', () => {
    const { followed } = openFollowed();
    expect(followed.confirmedAt).toBe(Number.NEGATIVE_INFINITY);
    followed.confirm(NOW);
    expect(followed.confirmedAt).toBe(NOW);
  });

  it('tells every listener what came of the entries, and the state after them', () => {
    const { followed } = openFollowed();
    const heard: string[] = [];
    for (const name of ['a', 'b']) {
      followed.onOutcomes((outcomes, { seq }) => {
        heard.push(`${name}: ${outcomes.map((outcome) => outcome.seq).join()} at ${seq}`);
      });
    }
    followed.take([row(1), row(2)]);
    expect(heard).toEqual(['a: 1,2 at 2', 'b: 1,2 at 2']);
  });

  it('stops for good at an entry that cannot be folded, and is at no head any more', () => {
    const { followed, faults } = openFollowed();
    followed.confirm(NOW);
    expect(() => followed.take([row(13)])).toThrow(BrokenChainError);
    expect(followed.fault?.message).toBe('thirteen');
    expect(faults).toEqual([followed.fault]);
    expect(followed.confirmedAt).toBe(Number.NEGATIVE_INFINITY);
    followed.confirm(NOW + 1);
    expect(followed.confirmedAt).toBe(Number.NEGATIVE_INFINITY);
  });

  it('stops when a listener breaks: nobody knows what it missed', () => {
    const { followed } = openFollowed();
    followed.onOutcomes(() => {
      throw new Error('listener');
    });
    expect(() => followed.take([row(1)])).toThrow('listener');
    expect(followed.fault?.message).toBe('listener');
  });
});

describe('the date of an entry', () => {
  const far = NOW + 6 * MINUTE_MS;

  it.each([far, NOW - 6 * MINUTE_MS])('stops a fold that is up to date: %i', (at) => {
    const { followed } = openFollowed({ at });
    followed.confirm(NOW);
    expect(() => followed.take([row(1)])).toThrow("far from this node's clock");
    expect(followed.fault).toBeDefined();
  });

  it.each([
    ['at what was there before this node was up to date', { at: far }, false],
    ['at what a party says', { at: far, kind: 'attestation' }, true],
    ['at what was refused', { at: far, refused: true }, true],
    ['within minutes of the clock', { at: NOW + 4 * MINUTE_MS }, true],
    ['where no clock is watched', { at: far, isWatching: false }, true],
  ])('does not stop it %s', (_, options, isUpToDate) => {
    const { followed } = openFollowed(options);
    if (isUpToDate) followed.confirm(NOW);
    followed.take([row(1)]);
    expect(followed.fault).toBeUndefined();
  });
});

describe('waiting for the state', () => {
  it('ends at once when it holds already, and otherwise with the entry that brings it', async () => {
    const { followed } = openFollowed();
    expect(await followed.waitUntil(({ seq }) => seq === 0, 1_000)).toBe(true);
    const waiting = followed.waitUntil(({ seq }) => seq >= 2, 1_000);
    followed.take([row(1)]);
    followed.take([row(2)]);
    expect(await waiting).toBe(true);
    expect(jest.getTimerCount()).toBe(0);
  });

  it('ends with false when the time is over', async () => {
    const { followed } = openFollowed();
    const waiting = followed.waitUntil(({ seq }) => seq === 5, 1_000);
    await jest.advanceTimersByTimeAsync(1_000);
    expect(await waiting).toBe(false);
  });

  it('ends with false when the fold stops', async () => {
    const { followed } = openFollowed();
    const waiting = followed.waitUntil(({ seq }) => seq === 5, 1_000);
    expect(() => followed.take([row(13)])).toThrow();
    expect(await waiting).toBe(false);
    expect(jest.getTimerCount()).toBe(0);
  });
});

describe('what was read from the head on', () => {
  const head = { seq: 2, headHash: '02'.repeat(32) };

  it('is what follows the head', () => {
    expect(rowsBeyond(head, [row(2), row(3)]).map(({ seq }) => seq)).toEqual([3]);
    expect(rowsBeyond(head, [row(2)])).toEqual([]);
  });

  it.each([
    ['nothing is there', []],
    ['it begins with another entry', [row(3)]],
    ['the head has another hash', [{ ...row(2), hash: Buffer.alloc(32, 9) }]],
  ])('is refused when %s: the ledger was rolled back', (_, rows) => {
    expect(() => rowsBeyond(head, rows)).toThrow(BrokenChainError);
  });
});
