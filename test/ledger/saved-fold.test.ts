/** A fold that goes on from where another one stood comes to what that one comes to, from every place of a ledger. */
import { describe, expect, it } from '@jest/globals';
import type { EvidenceKeys } from '@countersign/core/evidence-seal.js';
import { sha256 } from '@countersign/core/hash.js';
import { toHex } from '@countersign/core/bytes.js';
import type { EntryOutcome } from '@countersign/vault/ledger/entry-outcome.js';
import type { EntryRow } from '@countersign/vault/ledger/entry.js';
import { findRowChanges } from '@countersign/vault/audit/row-changes.js';
import { createFold, type Fold, type SavedFold } from '@countersign/vault/ledger/fold.js';
import { BrokenChainError } from '@countersign/vault/ledger/ledger-errors.js';
import { readSavedFold, writeSavedFold } from '@countersign/vault/snapshots/saved-fold.js';
import { firstPlaceKept } from '@countersign/vault/ledger/remembered-places.js';
import { stateHash } from '@countersign/vault/state/state-hash.js';
import type { VaultState } from '@countersign/vault/state/state.js';
import fc from 'fast-check';
import { howMany, isChosen } from '../support/how-many.ts';
import { createLedgerBuilder, rechain } from '../support/ledger-builder.ts';
import { recordedRows } from '../support/recorded-rows.ts';
import { anySteps, openDesk, take } from '../support/random-operations.ts';

const hashes = new WeakMap<VaultState, string>();

/** Of each state once: while nothing waits, the optimistic state is the state itself. */
function hashOf(state: VaultState): string {
  const hash = hashes.get(state) ?? stateHash(state);
  hashes.set(state, hash);
  return hash;
}

/** Everything that a fold tells, maps in the order in which they give their entries. */
function telling(fold: Fold, from = 1, saved = textOf(fold)) {
  const { state, optimistic, pending, rules, countersignatures, acknowledged, at, hashAt } =
    fold.view;
  const places = Array.from({ length: state.seq - from + 1 }, (_, index) => from + index);
  return {
    stateHash: hashOf(state),
    optimisticHash: hashOf(optimistic),
    pending: pending.map(({ seq }) => seq),
    rules,
    statements: [...countersignatures.values()].map(
      ({ party, seq, hash, at: when, newestRules }) => ({
        ...{ party, seq, when, newestRules },
        hash: toHex(hash),
      }),
    ),
    acknowledged: [...acknowledged],
    hashes: places.map((seq) => hashAt(seq)),
    places: places.map((seq) => {
      const place = at(seq, hashAt(seq) ?? '');
      return place && { rules: place.rules, time: place.state.time, hash: place.state.headHash };
    }),
    saved,
  };
}

function textOf(fold: Fold): string | undefined {
  const saved = fold.save();
  return saved && [...writeSavedFold(saved)].join('\n');
}

/** A fold of its own, out of the text of another. */
function resumed(text: string, rows: readonly EntryRow[], keys: EvidenceKeys): Fold {
  const saved = readSavedFold(text.split('\n').values());
  const fold = createFold({ keys, findChanges: findRowChanges });
  const { seq } = saved.state;
  fold.resume(saved, rows.slice(firstPlaceKept(seq) - 1, seq));
  return fold;
}

const plain = (outcomes: readonly EntryOutcome[]) =>
  outcomes.map(({ operation, decided, ...rest }) => ({
    ...rest,
    operation: operation?.id,
    decided: decided?.map((one) => ({ ...one, operation: one.operation.id })),
  }));

/**
 * Goes on from each place at which a fold can be saved (with `--fast`: from each fourth); `ahead`: for so many rows.
 * Gives the number of places at which it can be saved.
 */
function compareAll(rows: readonly EntryRow[], keys: EvidenceKeys, ahead: number): number {
  const whole = createFold({ keys, findChanges: findRowChanges });
  const others: { fold: Fold; from: number }[] = [];
  let places = 0;
  for (const row of rows) {
    const outcomes = plain(whole.advance([row]));
    const text = textOf(whole);
    for (const { fold, from } of others) {
      expect(plain(fold.advance([row]))).toEqual(outcomes);
      if (row.seq !== from + ahead && row.seq !== rows.length) continue;
      expect(telling(fold, from)).toEqual(telling(whole, from, text));
    }
    while (others.length > 0 && others[0]!.from + ahead <= row.seq) others.shift();
    expect(text === undefined).toBe(whole.view.pending.length > 0);
    if (text === undefined) continue;
    places += 1;
    if (!isChosen(places)) continue;
    const fold = resumed(text, rows, keys);
    expect(textOf(fold)).toBe(text);
    others.push({ fold, from: row.seq });
  }
  return places;
}

describe('a fold that goes on from a saved one', () => {
  it('comes to the same from every place of ledgers made at random', () => {
    fc.assert(
      fc.property(anySteps({ minLength: 30, maxLength: 60 }), (steps) => {
        const desk = openDesk(createLedgerBuilder());
        const opened = desk.ledger.rows.length;
        for (const step of steps) take(desk, step);
        expect(compareAll(desk.ledger.rows, desk.ledger.keys, 25)).toBeGreaterThanOrEqual(opened);
      }),
      { numRuns: howMany(4), endOnFailure: true },
    );
  });

  it('comes to the same from every place of the recorded ledger', () => {
    const { rows, keys } = recordedRows();
    expect(compareAll(rows, keys, 30)).toBeGreaterThan(rows.length / 4);
  });

  it('knows the places before it by their hashes, and what was in force from there on', () => {
    const { rows, keys } = recordedRows();
    const whole = createFold({ keys, findChanges: findRowChanges });
    whole.advance(rows);
    const fold = resumed(textOf(whole)!, rows, keys);
    const { seq, headHash } = whole.view.state;
    expect(fold.view.hashAt(seq - 5)).toBe(whole.view.hashAt(seq - 5));
    expect(fold.view.at(seq - 5, whole.view.hashAt(seq - 5)!)).toBeUndefined();
    expect(fold.view.at(seq, headHash)).toEqual(whole.view.at(seq, headHash));
  });

  it('is not saved where something waits to be judged', () => {
    const { rows, keys } = recordedRows();
    const fold = createFold({ keys, findChanges: findRowChanges });
    for (const row of rows) {
      fold.advance([row]);
      expect(fold.save() === undefined).toBe(fold.view.pending.length > 0);
    }
  });
});

describe('a saved fold that does not belong to the rows', () => {
  const { rows, keys } = recordedRows();
  const whole = createFold({ keys, findChanges: findRowChanges });
  whole.advance(rows);
  const saved = whole.save() as SavedFold;
  const other = rechain(
    rows
      .slice(0, -1)
      .map(({ body }) => Buffer.from(body))
      .toSpliced(40, 1),
  );

  it.each([
    ['none are there', []],
    ['the last is missing', rows.slice(0, -1)],
    ['the first is missing', rows.slice(1)],
    ['one between is missing', rows.toSpliced(40, 1)],
    ['there are more', [...rows, ...rechain([Buffer.from('more')], rows.at(-1))]],
    ['it is another chain', other],
    ['a body is another', rows.with(40, { ...rows[40]!, body: Buffer.from('other') })],
    ['the head has another hash', rows.with(-1, { ...rows.at(-1)!, hash: Buffer.alloc(32) })],
  ])('is refused, and the fold is as it was: %s', (_what, last) => {
    const fold = createFold({ keys, findChanges: findRowChanges });
    expect(() => fold.resume(saved, last)).toThrow(BrokenChainError);
    fold.advance(rows);
    expect(telling(fold)).toEqual(telling(whole));
  });
});

it('a saved fold of the recorded ledger is written as it was: whoever changes that counts its version up', () => {
  const { rows, keys } = recordedRows();
  const fold = createFold({ keys, findChanges: findRowChanges });
  fold.advance(rows);
  expect(toHex(sha256(textOf(fold)!))).toBe(
    '79efbc34365029f858208b60fdc34fa22cdf151b778609a780a531918b6ee6d1',
  );
});
