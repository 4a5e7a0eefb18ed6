import { beforeAll, describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import type { EvidenceKeys } from '@countersign/core/evidence-seal.js';
import type { EntryOutcome } from '@countersign/vault/ledger/entry-outcome.js';
import { entryHash } from '@countersign/core/entry-hash.js';
import { decodeEntryBody, type EntryRow } from '@countersign/vault/ledger/entry.js';
import { createFold, type Fold, type LedgerView } from '@countersign/vault/ledger/fold.js';
import { BrokenChainError } from '@countersign/vault/ledger/ledger-errors.js';
import type { Judgement } from '@countersign/vault/ledger/judging.js';
import { stateHash } from '@countersign/vault/state/state-hash.js';
import type { VaultState } from '@countersign/vault/state/state.js';
import { tellOfDesk } from '../support/release-zero-story.ts';
import { judgeRow } from '../support/judge-row.ts';
import { rechain } from '../support/ledger-builder.ts';
import { howMany } from '../support/how-many.ts';

let keys: EvidenceKeys;
let rows: readonly EntryRow[];
/** By sequence number, from 1: index 0 is the first entry's. */
let outcomes: EntryOutcome[];
/** The state before the entry of that index. */
let statesBefore: VaultState[];
let finalView: LedgerView;

beforeAll(() => {
  ({ rows, keys } = tellOfDesk());
  const fold = createFold({ keys });
  statesBefore = [];
  outcomes = rows.flatMap((row) => {
    statesBefore.push(fold.view.state);
    return fold.advance([row]);
  });
  finalView = fold.view;
});

/** Rows in front of which damage is looked for: a fold is kept there, and a broken chain leaves it as it was. */
const PLACES = 24;
const foldsBefore = new Map<number, Fold>();

/** A fold of all rows before one of {@link PLACES} places, which the number chooses, and the index of that row. */
function foldBefore(choice: number): { fold: Fold; index: number } {
  const index = Math.floor(((choice % PLACES) * (rows.length - 2)) / PLACES) + 1;
  const known = foldsBefore.get(index) ?? createFold({ keys });
  if (!foldsBefore.has(index)) known.advance(rows.slice(0, index));
  foldsBefore.set(index, known);
  return { fold: known, index };
}

/** What two nodes must agree on. */
function hashOf({ state, optimistic, pending, rules }: LedgerView): object {
  const waiting = pending.map(({ seq }) => seq);
  return { state: stateHash(state), optimistic: stateHash(optimistic), waiting, rules };
}

function flipBit(bytes: Uint8Array, bit: number): Buffer {
  const flipped = Buffer.from(bytes);
  flipped[bit >> 3]! ^= 1 << (bit & 7);
  return flipped;
}

/** Kind, one byte, then the date, eight. */
function isDateBit(bit: number): boolean {
  return bit >= 8 && bit < 72;
}

/** What differs but for the head, which every entry moves. Untouched parts are the same in memory. */
function changedFields(before: VaultState, after: VaultState): string[] {
  const fields = Object.keys(before) as (keyof VaultState)[];
  return fields.filter(
    (field) => field !== 'seq' && field !== 'headHash' && before[field] !== after[field],
  );
}

const anyRow = () => fc.nat(rows.length - 1);
const anyBit = () => fc.nat();

describe('the same log', () => {
  it('gives the same state and the same outcomes in whatever pieces it arrives', () => {
    const expected = hashOf(finalView);
    fc.assert(
      fc.property(fc.array(fc.integer({ min: 0, max: 40 }), { maxLength: 60 }), (sizes) => {
        const fold = createFold({ keys });
        const got: EntryOutcome[] = [];
        let at = 0;
        for (const size of [...sizes, rows.length]) {
          got.push(...fold.advance(rows.slice(at, at + size)));
          at += size;
        }
        expect(hashOf(fold.view)).toEqual(expected);
        expect(got).toEqual(outcomes);
      }),
      { numRuns: howMany(10) },
    );
  });

  it('is folded without touching an earlier state', () => {
    const step = Math.floor(statesBefore.length / howMany(statesBefore.length));
    const looked = statesBefore.filter((_, index) => index % step === 0);
    const before = looked.map(stateHash);
    createFold({ keys }).advance(rows);
    expect(looked.map(stateHash)).toEqual(before);
  });

  it('leaves a view as it was, whatever is folded after it', () => {
    const fold = createFold({ keys });
    fold.advance(rows.slice(0, rows.length - 1));
    const { view } = fold;
    const before = hashOf(view);
    fold.advance(rows.slice(-1));
    expect(hashOf(view)).toEqual(before);
    expect(fold.view.state.seq).toBe(view.state.seq + 1);
  });
});

describe('a row changed in place is noticed at that row', () => {
  const changes: Record<string, (row: EntryRow, bit: number) => EntryRow> = {
    body: (row, bit) =>
      row.body.length === 0
        ? { ...row, body: Buffer.alloc(1) }
        : { ...row, body: flipBit(row.body, bit % (row.body.length * 8)) },
    hash: (row, bit) => ({ ...row, hash: flipBit(row.hash, bit % 256) }),
    'previous hash': (row, bit) => ({ ...row, prevHash: flipBit(row.prevHash, bit % 256) }),
    'sequence number': (row, bit) => ({ ...row, seq: row.seq ^ (1 << (bit % 20)) }),
    'hash, cut short': (row) => ({ ...row, hash: row.hash.subarray(0, 31) }),
    'previous hash, empty': (row) => ({ ...row, prevHash: Buffer.alloc(0) }),
  };

  it.each(Object.keys(changes))('any bit of its %s', (what) => {
    fc.assert(
      fc.property(fc.nat(), anyBit(), (choice, bit) => {
        const { fold, index } = foldBefore(choice);
        const before = fold.view.state;
        const damaged = changes[what]!(rows[index]!, bit);
        expect(() => fold.advance([damaged, ...rows.slice(index + 1)])).toThrow(BrokenChainError);
        expect(fold.view.state).toEqual(before);
      }),
      { numRuns: howMany(300) },
    );
  });
});

describe('a log whose chain was made again after a change', () => {
  /**
   * The rewriting attacker recomputes every hash, so the chain holds. What is left to say of the entry:
   * its hash, and so every later head, is another one, which whoever remembers a head notices; and the
   * entry is refused and changes nothing, or says what it said before. A genesis authorises itself: its
   * hash, which every node pins, is all that tells. An entry's own date is signed by nobody, and counts for
   * nothing.
   */
  it('has another head, and the changed entry gets nothing but its date past the fold', () => {
    fc.assert(
      fc.property(anyRow(), anyBit(), (index, bit) => {
        const row = rows[index]!;
        fc.pre(row.body.length > 0);
        const at = bit % (row.body.length * 8);
        const forged = forgedFrom(index, flipBit(row.body, at));
        expect(forged.at(-1)!.hash).not.toEqual(rows.at(-1)!.hash);
        expect(forged[0]!.hash).not.toEqual(row.hash);

        // a passkey's JSON has more in it than the passkey signed; what is read of it is all signed
        if (index === 0 || isByPasskey(row)) return;
        if (takesEffect(index, forged[0]!)) expect(isDateBit(at)).toBe(true);
      }),
      { numRuns: howMany(600) },
    );
  });

  it('is not followed by a node that folded the true one: the next row names another head', () => {
    fc.assert(
      fc.property(fc.nat(), anyBit(), (choice, bit) => {
        const { fold, index } = foldBefore(choice);
        const seen = fold.view.state;
        const before = rows[index - 1]!.body;
        fc.pre(before.length > 0);
        const forged = forgedFrom(index - 1, flipBit(before, bit % (before.length * 8)));
        expect(() => fold.advance(forged.slice(1))).toThrow(BrokenChainError);
        expect(fold.view.state).toEqual(seen);
      }),
      { numRuns: howMany(200) },
    );
  });

  it("every bit of one request and of each kind of a party's statement, one by one", () => {
    const request = outcomes.findIndex(({ operation }) => operation?.id === 'freeze-system');
    const statements = (['attestation', 'key-refusal', 'recipient', 'evidence-key'] as const).map(
      (statement) =>
        outcomes.findIndex(({ kind, refusal }) => kind === statement && refusal === undefined),
    );
    expect(statements).not.toContain(-1);
    for (const index of [request, ...statements]) {
      const { body } = rows[index]!;
      const isRefused = (bit: number) => {
        const [forged] = rechain([flipBit(body, bit)], rows[index - 1]);
        return !takesEffect(index, forged!);
      };
      const all = body.length * 8;
      const count = howMany(all);
      const bits = Array.from({ length: count }, (_, at) => Math.floor((at * all) / count));
      expect(bits.filter((bit) => !isDateBit(bit) && !isRefused(bit))).toEqual([]);
    }
  });

  /** The rows from that index on, its body another one: those before it are as they were. */
  function forgedFrom(index: number, body: Uint8Array): EntryRow[] {
    const later = rows.slice(index + 1).map((row) => row.body);
    return rechain([body, ...later], rows[index - 1]);
  }

  function isByPasskey({ body }: EntryRow): boolean {
    try {
      const { content } = decodeEntryBody(body);
      return content.kind === 'evidence' && content.evidence.scheme === 'Bearer';
    } catch {
      return false;
    }
  }

  /** Whether the forged row does anything where it stands. It stops no node, and a refusal changes nothing. */
  function takesEffect(index: number, forged: EntryRow): boolean {
    const before = statesBefore[index]!;
    const { at } = outcomes[index]!;
    const judgement: Judgement | undefined = judgeRow(before, forged, keys, { clock: at, at });
    if (judgement?.state === undefined) return false;
    expect(changedFields(before, judgement.state)).not.toEqual([]);
    return true;
  }
});

describe('rows that are missing or misplaced are noticed', () => {
  it('two that changed places', () => {
    fc.assert(
      fc.property(fc.nat(), anyRow(), (choice, two) => {
        const { fold, index: one } = foldBefore(choice);
        fc.pre(two > one);
        const moved = rows.with(one, rows[two]!).with(two, rows[one]!);
        expect(() => fold.advance(moved.slice(one))).toThrow(BrokenChainError);
      }),
      { numRuns: howMany(200) },
    );
  });

  it('one dropped before another, however it is numbered', () => {
    fc.assert(
      fc.property(fc.nat(), fc.boolean(), (choice, renumber) => {
        const { fold, index } = foldBefore(choice);
        const rest = rows
          .slice(index + 1)
          .map((row) => (renumber ? { ...row, seq: row.seq - 1 } : row));
        expect(() => fold.advance(rest)).toThrow(BrokenChainError);
      }),
      { numRuns: howMany(100) },
    );
  });

  it('a number left out, though the hashes hold', () => {
    const { fold, index } = foldBefore(5);
    const { prevHash, body } = rows[index]!;
    for (const seq of [index, index + 2, 1_000]) {
      const hash = entryHash(seq, prevHash, body);
      expect(() => fold.advance([{ seq, prevHash, body, hash }])).toThrow(BrokenChainError);
    }
  });

  it('one given twice', () => {
    const fold = createFold({ keys });
    fold.advance(rows);
    expect(() => fold.advance(rows.slice(-1))).toThrow(BrokenChainError);
    expect(() => createFold({ keys }).advance([rows[0]!, rows[0]!])).toThrow(BrokenChainError);
  });

  it('the end cut off and written anew: a node that saw the end does not go on', () => {
    const fold = createFold({ keys });
    fold.advance(rows);
    const cut = rows.length - 5;
    const bodies = rows.slice(0, cut).map((row) => row.body);
    const rewritten = rechain([
      ...bodies,
      ...rows.slice(cut + 1).map((row) => row.body),
      rows[cut]!.body,
    ]);
    const next = rechain([...rewritten.map((row) => row.body), rows[1]!.body]).slice(-1);
    expect(next[0]?.seq).toBe(fold.view.state.seq + 1);
    expect(() => fold.advance(next)).toThrow(BrokenChainError);
    expect(hashOf(fold.view)).toEqual(hashOf(finalView));
  });
});
