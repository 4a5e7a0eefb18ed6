/** Ledgers made at random, folded row by row, in pages of any sizes, and all at once: each comes to the same. */
import { expect, it } from '@jest/globals';
import { encodeEvidenceEntry } from '@countersign/vault/ledger/write-entry.js';
import type { EntryOutcome } from '@countersign/vault/ledger/entry-outcome.js';
import { findRowChanges } from '@countersign/vault/audit/row-changes.js';
import { createFold, type LedgerView } from '@countersign/vault/ledger/fold.js';
import { stateHash } from '@countersign/vault/state/state-hash.js';
import fc from 'fast-check';
import { howMany } from '../support/how-many.ts';
import { createLedgerBuilder, type LedgerBuilder } from '../support/ledger-builder.ts';
import { anySteps, openDesk, take, type Step } from '../support/random-operations.ts';

/** Judged one after another; what comes last waits, a freeze of everything among it, for one party's statement or for two. */
function tellStory(steps: readonly Step[], isJudged: boolean): LedgerBuilder {
  const ledger = createLedgerBuilder();
  const desk = openDesk(ledger);
  for (const step of steps) take(desk, step);
  const { admin, keys, now } = ledger;
  for (const [target, body] of [
    ['/v1/vaults', { display_name: 'Before the freeze' }],
    ['/v1/system/freeze'],
    ['/v1/vaults', { display_name: 'Behind it' }],
  ] as const) {
    const evidence = ledger.evidenceOf(admin, 'POST', target, body);
    ledger.appendRow(encodeEvidenceEntry(now, evidence, keys));
  }
  const { seq, hash } = ledger.rows.at(-1)!;
  for (const party of isJudged ? ([1, 3] as const) : ([1] as const)) {
    ledger.appendRow(ledger.countersignature(party, { seq, hash }));
  }
  return ledger;
}

/** In pages of these sizes, over and over; what a look behind each gave. */
function foldIn<Seen>(
  sizes: readonly number[],
  { rows, keys }: LedgerBuilder,
  look: (view: LedgerView) => Seen,
) {
  const fold = createFold({ keys, findChanges: findRowChanges });
  const outcomes: EntryOutcome[] = [];
  const seen: Seen[] = [];
  for (let at = 0, page = 0; at < rows.length; page += 1) {
    const size = sizes[page % sizes.length]!;
    outcomes.push(...fold.advance(rows.slice(at, at + size)));
    seen.push(look(fold.view));
    at += size;
  }
  return { outcomes, seen };
}

function seenIn({
  state,
  optimistic,
  pending,
  countersignatures,
  acknowledged,
  rules,
}: LedgerView) {
  return {
    ...{ seq: state.seq, state: stateHash(state), optimistic: stateHash(optimistic), rules },
    pending: pending.map(({ seq }) => seq),
    ...{ countersignatures: [...countersignatures], acknowledged: [...acknowledged] },
  };
}

const anyPages = fc.array(fc.integer({ min: 1, max: 30 }), { minLength: 1, maxLength: 8 });

it('a ledger comes to the same in whatever pages it is read', () => {
  const anyStory = {
    steps: anySteps({ minLength: 30, maxLength: 60 }),
    isJudged: fc.boolean(),
  };
  fc.assert(
    fc.property(fc.record({ ...anyStory, pages: anyPages }), ({ pages, ...story }) => {
      const ledger = tellStory(story.steps, story.isJudged);
      const byRow = foldIn([1], ledger, (view) => view);
      expect(byRow.outcomes).toEqual(ledger.outcomes);
      expect(byRow.seen.at(-1)!.pending).toHaveLength(story.isJudged ? 0 : 3);
      for (const sizes of [pages, pages.toReversed(), [ledger.rows.length]]) {
        const { outcomes, seen } = foldIn(sizes, ledger, seenIn);
        expect(outcomes).toEqual(ledger.outcomes);
        // looked at now, long after it was taken: what was folded since does not show in it
        expect(seen).toEqual(seen.map(({ seq }) => seenIn(byRow.seen[seq - 1]!)));
      }
    }),
    // a ledger takes a while to make: the seed of a failure is worth more than its shrinking
    { numRuns: howMany(10), endOnFailure: true },
  );
});
