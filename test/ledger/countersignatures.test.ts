/**
 * What takes effect when. Two of three parties say so, and nobody else: not whoever appends, not a party alone, and
 * not the order or the pieces in which a store tells of it.
 */
import { sign } from 'node:crypto';
import { beforeEach, describe, expect, it } from '@jest/globals';
import type { Evidence } from '@countersign/core/evidence.js';
import type { PartyNumber } from '@countersign/core/parties.js';
import {
  countersignatureMessage,
  type Countersignature,
} from '@countersign/core/party-statements.js';
import {
  encodeCountersignature,
  encodeEvidenceEntry,
  encodeEvidenceKey,
} from '@countersign/vault/ledger/write-entry.js';
import type { EntryOutcome } from '@countersign/vault/ledger/entry-outcome.js';
import { createFold } from '@countersign/vault/ledger/fold.js';
import { OTHER_HISTORY } from '@countersign/vault/ledger/party-statement.js';
import {
  createLedgerBuilder,
  rechain,
  testPrivateKey,
  type LedgerBuilder,
} from '../support/ledger-builder.ts';
import { signedEvidenceKey } from '../support/party-facts.ts';

const SECOND = 1_000;
const MINUTE = 60 * SECOND;

let ledger: LedgerBuilder;

beforeEach(() => {
  ledger = createLedgerBuilder();
});

const newVault = (timestampMs = ledger.now): Evidence =>
  ledger.evidenceOf(
    ledger.admin,
    'POST',
    '/v1/vaults',
    { display_name: `desk ${ledger.rows.length}` },
    { timestampMs },
  );

function appendUnjudged(evidence: Evidence, appendedAt = ledger.now): number {
  ledger.appendRow(encodeEvidenceEntry(appendedAt, evidence, ledger.keys));
  return ledger.rows.length;
}

/** A party's statement for the head, `after` ms from now by its clock. */
function speak(
  party: PartyNumber,
  after = 0,
  statement: Partial<Countersignature> = {},
): EntryOutcome[] {
  return ledger.appendRow(ledger.countersignature(party, { at: ledger.now + after, ...statement }));
}

const vaults = () => ledger.state.vaults.rows.size;
const outcomeOf = (seq: number) => ledger.outcomes.find((outcome) => outcome.seq === seq);

describe('a change of the vault', () => {
  it('waits for the second statement, and is judged there at the later of the two times', () => {
    const seq = appendUnjudged(newVault());
    expect(speak(2, 3 * SECOND)).toEqual([]);
    expect([vaults(), ledger.view.pending.length]).toEqual([0, 1]);
    const [outcome] = speak(3, SECOND);
    expect(outcome).toMatchObject({
      seq,
      refusal: undefined,
      at: ledger.now + 3 * SECOND,
      judgedBy: {
        rules: 1,
        countersignatures: [
          { party: 2, at: ledger.now + 3 * SECOND },
          { party: 3, at: ledger.now + SECOND },
        ],
      },
    });
    expect([vaults(), ledger.view.pending.length]).toEqual([1, 0]);
  });

  it('is told in its place: statements after it come when it is judged', () => {
    appendUnjudged(newVault());
    speak(1);
    speak(2);
    expect(ledger.outcomes.map(({ seq }) => seq)).toEqual([1, 2, 3, 4]);
    const listed = ledger.outcomes.map(({ listedAt }) => listedAt);
    expect(listed).toEqual(listed.toSorted((a, b) => a - b));
  });

  it('is not judged by one party, however often it speaks', () => {
    appendUnjudged(newVault());
    for (const after of [0, SECOND, 2 * SECOND]) speak(1, after);
    expect(vaults()).toBe(0);
  });

  it('is not judged by statements that cover less', () => {
    const first = appendUnjudged(newVault());
    const { hash } = ledger.rows.at(-1)!;
    appendUnjudged(newVault());
    speak(1);
    speak(2, 0, { seq: first, hash });
    expect([vaults(), ledger.view.pending.length]).toEqual([1, 1]);
  });

  it.each([
    ['a minute apart', MINUTE, 1],
    ['a millisecond more', MINUTE + 1, 0],
  ])('judged by two clocks that are %s', (_what, apart, count) => {
    appendUnjudged(newVault());
    speak(1);
    speak(2, apart);
    expect(vaults()).toBe(count);
  });

  it('that two statements could not agree about is judged once one of the parties speaks anew', () => {
    appendUnjudged(newVault());
    speak(1);
    speak(2, 2 * MINUTE);
    expect(vaults()).toBe(0);
    speak(1, 2 * MINUTE);
    expect(vaults()).toBe(1);
  });
});

describe('a request that was held back', () => {
  it('is void for good when it is judged after its five minutes, on every node and after every start', () => {
    const evidence = newVault();
    ledger.now += 323 * SECOND;
    // whoever appends it may write any date
    const seq = appendUnjudged(evidence, ledger.now - 323 * SECOND);
    speak(1);
    speak(2);
    expect(outcomeOf(seq)?.refusal).toMatchObject({ refused: 'unauthorized' });
    const restarted = createFold({ keys: ledger.keys });
    expect(restarted.advance(ledger.rows).find((one) => one.seq === seq)?.refusal).toBeDefined();
    expect(restarted.view.state.vaults.rows.size).toBe(0);
    // and cannot be tried again: its time does not come back
    speak(3, -323 * SECOND);
    expect(vaults()).toBe(0);
  });

  it('is not made good by one party that dates its statement back', () => {
    const evidence = newVault();
    ledger.now += 323 * SECOND;
    appendUnjudged(evidence);
    speak(3, -323 * SECOND);
    speak(1);
    expect(vaults()).toBe(0);
    speak(2);
    expect(vaults()).toBe(0);
  });

  it('and dated to 2099 by its author stops nothing that follows it', () => {
    const ahead = appendUnjudged(newVault(Date.UTC(2099, 0, 1)), Date.UTC(2099, 0, 1));
    const next = appendUnjudged(newVault());
    speak(1);
    speak(2);
    expect(outcomeOf(ahead)?.refusal?.refused).toBe('unauthorized');
    expect(outcomeOf(next)?.refusal).toBeUndefined();
    expect(ledger.state.time).toBe(ledger.now);
  });
});

describe('a statement', () => {
  it('counts only with the signature of its party, over this vault', () => {
    appendUnjudged(newVault());
    speak(1);
    const { seq, hash } = ledger.rows.at(-2)!;
    const common = { seq, hash, at: ledger.now, rules: 1, newestRules: 1 };
    const ofOtherVault = { ...common, party: 2 as const };
    const message = countersignatureMessage(ofOtherVault, 'ab'.repeat(32));
    const signature = sign(null, message, testPrivateKey('party 2'));
    const forged = [
      encodeCountersignature(ledger.now, { ...common, party: 2, signature: Buffer.alloc(64) }),
      relabelled(ledger.countersignature(3), 2),
      encodeCountersignature(ledger.now, { ...ofOtherVault, signature }),
    ];
    for (const body of forged) {
      ledger.appendRow(body);
      expect(vaults()).toBe(0);
    }
    speak(2);
    expect(vaults()).toBe(1);
    const refusals = ledger.outcomes.filter(({ kind }) => kind === 'countersignature');
    expect(refusals.map(({ refusal }) => refusal?.refused)).toEqual([
      undefined,
      'unauthorized',
      'unauthorized',
      'unauthorized',
      undefined,
    ]);
  });

  it('for another history counts for nothing, and is told apart from every other fault', () => {
    appendUnjudged(newVault());
    speak(1);
    speak(2, 0, { hash: Buffer.alloc(32, 7) });
    speak(3);
    expect(ledger.outcomes.at(-2)?.refusal).toBe(OTHER_HISTORY);
    expect(vaults()).toBe(1);
  });

  it.each([
    ['itself', 0],
    ['a place to come', 1],
    ['a place far away', 2 ** 40],
  ])('that names %s counts for nothing', (_what, beyond) => {
    appendUnjudged(newVault());
    speak(1);
    speak(2, 0, { seq: ledger.rows.length + 1 + beyond });
    expect(vaults()).toBe(0);
  });

  it('over an earlier head than its party has named counts for nothing: a store may repeat it', () => {
    appendUnjudged(newVault());
    const early = ledger.countersignature(1);
    appendUnjudged(newVault());
    ledger.now += 2 * MINUTE;
    speak(1);
    ledger.appendRow(early);
    speak(2, -2 * MINUTE);
    expect(vaults()).toBe(0);
    speak(2);
    expect(vaults()).toBe(2);
  });

  it('that was kept back counts when it appears, dated as it was given, and judges once', () => {
    appendUnjudged(newVault());
    const [first, second] = ([1, 2] as const).map((party) => ledger.countersignature(party));
    const given = ledger.now;
    ledger.now += 2 * MINUTE;
    speak(1);
    for (const body of [first!, second!]) ledger.appendRow(body);
    expect([vaults(), ledger.state.time]).toEqual([1, given]);
    speak(2);
    expect([vaults(), ledger.state.time]).toEqual([1, given]);
  });

  it('of one party cannot put the time out of reach', () => {
    appendUnjudged(newVault());
    speak(3, 365 * 24 * 60 * MINUTE);
    speak(1);
    speak(2, SECOND);
    expect(ledger.state.time).toBe(ledger.now + SECOND);
  });

  /** The same statement and signature under another party's number: after kind and date. */
  function relabelled(body: Buffer, party: PartyNumber): Buffer {
    const copy = Buffer.from(body);
    copy[9] = party;
    return copy;
  }
});

describe('what waits', () => {
  const freeze = () => ledger.evidenceOf(ledger.admin, 'POST', '/v1/system/freeze');
  const unfreeze = (timestampMs = ledger.now) =>
    ledger.evidenceOf(ledger.admin, 'POST', '/v1/system/unfreeze', undefined, { timestampMs });

  it('shows in the optimistic state: a freeze is obeyed from the moment it is seen', () => {
    appendUnjudged(freeze());
    expect(ledger.view.state.systemFreeze).toBeNull();
    expect(ledger.view.optimistic.systemFreeze).not.toBeNull();
    speak(1);
    speak(2);
    expect(ledger.view.state.systemFreeze).not.toBeNull();
  });

  it('undoes no freeze: what was frozen stays so until two parties have said otherwise', () => {
    const held = unfreeze();
    ledger.now += 10 * MINUTE;
    appendUnjudged(freeze());
    appendUnjudged(held);
    appendUnjudged(unfreeze());
    expect(ledger.view.optimistic.systemFreeze).not.toBeNull();
    speak(1);
    speak(2);
    expect(ledger.view.state.systemFreeze).toBeNull(); // by the fresh one
    expect(ledger.view.optimistic.systemFreeze).toBeNull();
  });

  it('does not stop a freeze that was held back for a year: it counts whatever its age', () => {
    const held = freeze();
    ledger.now += 365 * 24 * 60 * MINUTE;
    appendUnjudged(held);
    speak(1);
    speak(2);
    expect(ledger.view.state.systemFreeze).not.toBeNull();
  });

  it('is bounded, and a flood keeps no freeze out', () => {
    const body = encodeEvidenceEntry(ledger.now, newVault(), ledger.keys);
    for (let count = 0; count < 10_000; count++) ledger.appendRow(body);
    expect(ledger.view.pending).toHaveLength(10_000);
    ledger.appendRow(body);
    expect(ledger.view.pending).toHaveLength(10_000);
    const seq = appendUnjudged(freeze());
    expect(ledger.view.pending.at(-1)?.seq).toBe(seq);
    speak(1);
    speak(2);
    expect(ledger.view.state.systemFreeze).not.toBeNull();
    expect(ledger.outcomes.find((one) => one.seq === seq - 1)?.refusal?.message).toContain(
      'too many',
    );
  });
});

describe("a party's statements about evidence keys", () => {
  it('are bounded: thousands of them leave a few behind', () => {
    const bodies = Array.from({ length: 2_000 }, (_, count) => {
      const id = count.toString(16).padStart(16, '0');
      return encodeEvidenceKey(ledger.now, signedEvidenceKey(ledger, 3, id));
    });
    const fold = createFold({ keys: ledger.keys });
    const rows = rechain([...ledger.rows.map(({ body }) => body), ...bodies]);
    const { seq, hash } = rows.at(-1)!;
    const statements = ([1, 2] as const).map((party) =>
      ledger.countersignature(party, { seq, hash }),
    );
    fold.advance(rechain([...rows.map(({ body }) => body), ...statements]));
    const ofThird = fold.view.state.evidenceKeys.filter(({ heldBy }) => heldBy.includes(3));
    expect(ofThird).toHaveLength(1 + 8);
    expect(fold.view.pending).toEqual([]);
  });
});

it('a place says where it lies, also where nothing was judged, and what was in force there', () => {
  ledger.appendRow(encodeEvidenceEntry(ledger.now, newVault(), ledger.keys));
  speak(1);
  speak(2);
  speak(3);
  const fold = createFold({ keys: ledger.keys });
  const states = ledger.rows.map((row) => {
    fold.advance([row]);
    return fold.view.state;
  });
  for (const state of states) {
    expect(fold.view.at(state.seq, state.headHash)?.state).toEqual(state);
    expect(fold.view.hashAt(state.seq)).toBe(state.headHash);
    expect(fold.view.at(state.seq, 'another')).toBeUndefined();
  }
  expect(states.map(({ seq }) => seq)).toEqual(ledger.rows.map(({ seq }) => seq));
});
