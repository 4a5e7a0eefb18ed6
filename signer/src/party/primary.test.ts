import { generateKeyPairSync, sign, verify } from 'node:crypto';
import { afterEach, beforeEach, describe, expect, it, jest } from '@jest/globals';
import {
  acknowledgementMessage,
  countersignatureMessage,
} from '@countersign/core/party-statements.js';
import type { Countersignature } from '@countersign/core/party-statements.js';
import type { PartyNumber } from '@countersign/core/parties.js';
import type { OutcomeListener } from '@countersign/runtime/ledger/followed-fold.js';
import type { Logger } from '@countersign/runtime/process/logger.js';
import { decodeEntryBody, type EntryContent } from '@countersign/vault/ledger/entry.js';
import type { EntryOutcome } from '@countersign/vault/ledger/entry-outcome.js';
import type { LedgerView } from '@countersign/vault/ledger/fold.js';
import type { LoggedEntry } from '@countersign/vault/ledger/entry-types.js';
import { AGREEMENT_MS, areAgreed } from '@countersign/vault/ledger/party-statement.js';
import { EMPTY_STATE } from '@countersign/vault/state/state.js';
import { openPrimary, type Primary } from './primary.js';

const GENESIS = 'ab'.repeat(32);
const LOST_AFTER_MS = 2_000;
const identity = generateKeyPairSync('ed25519');
const hashOf = (seq: number) => Buffer.alloc(32, seq);

const nonceOf = (seq: number) => Buffer.alloc(8, seq);

/** What an optimistic state shows that obeys these entries. */
const optimisticOf = (...seqs: readonly number[]) => ({
  ...EMPTY_STATE,
  nonces: EMPTY_STATE.nonces.union(seqs.map((seq) => nonceOf(seq).toString('hex'))),
});

function pendingEntry(seq: number, path = '/v1/vaults'): LoggedEntry {
  const content = { kind: 'evidence', evidence: { method: 'POST', path, nonce: nonceOf(seq) } };
  return { seq, content: content as unknown as EntryContent } as LoggedEntry;
}
const pendingFreeze = (seq: number) => pendingEntry(seq, '/v1/system/freeze');

function judged(seq: number, action: string, refusal?: object): EntryOutcome {
  return { seq, operation: { action }, refusal } as unknown as EntryOutcome;
}

function statementOf(party: PartyNumber, seq: number, at: number): Countersignature {
  return { party, seq, hash: hashOf(seq), at, rules: 1, newestRules: 1 };
}

type Shown = Partial<Omit<LedgerView, 'state'>> & { seq?: number };

/** The primary replica of a party, over a ledger that the test writes; what it says does not come back by itself. */
function open(party: PartyNumber = 1, newestFreeze = 0, first: Shown = { seq: 4 }) {
  const said: EntryContent[] = [];
  const warned: object[] = [];
  const listeners: OutcomeListener[] = [];
  const world = {
    fault: undefined as Error | undefined,
    cleared: newestFreeze === 0 ? 0 : 100,
    appends: true,
    pinnedSeq: Infinity,
    /** Statements. */
    appended: 0,
  };
  let view: LedgerView;

  function show(change: Shown = {}): void {
    const { seq = view.state.seq, ...rest } = change;
    const headHash = hashOf(seq).toString('hex');
    const optimistic = optimisticOf(...(rest.pending ?? []).map((entry) => entry.seq));
    view = {
      ...view,
      optimistic,
      ...rest,
      state: { ...EMPTY_STATE, seq, headHash, genesisHash: GENESIS },
    };
  }
  view = {
    state: EMPTY_STATE,
    optimistic: EMPTY_STATE,
    pending: [],
    countersignatures: new Map(),
    acknowledged: new Map(),
    rules: 1,
    at: () => undefined,
    hashAt: (seq) => hashOf(seq).toString('hex'),
  };
  show(first);

  const primary: Primary = openPrimary({
    party,
    newestRules: 1,
    newestFreeze,
    follower: {
      get view() {
        return view;
      },
      get fault() {
        return world.fault;
      },
      get pinnedSeq() {
        return world.pinnedSeq;
      },
      onOutcomes: (listener) => void listeners.push(listener),
    },
    ledger: {
      async append(bodies) {
        if (!world.appends) throw new Error('no database');
        world.appended += 1;
        said.push(...bodies.map((body) => decodeEntryBody(body).content));
        return [];
      },
    },
    threads: {
      signIdentity: async (messages) =>
        messages.map((message) => sign(null, message, identity.privateKey)),
    },
    logger: { warn: (fields: object) => void warned.push(fields) } as unknown as Logger,
    now: Date.now,
    elapsed: () => performance.now(),
    isCleared: (seq) => seq <= world.cleared,
  });
  primaries.push(primary);
  return {
    primary,
    world,
    said,
    warned,
    show,
    /** The fold comes to show this, with what entries came to. */
    async fold(change: Shown, outcomes: readonly EntryOutcome[] = []) {
      show(change);
      for (const listener of listeners) listener(outcomes, view);
      await jest.advanceTimersByTimeAsync(0);
    },
    /** What was said comes to stand in the ledger, as other bytes that say the same. */
    writeDown(...statements: readonly Countersignature[]) {
      const own = said.flatMap(({ ...content }) =>
        content.kind === 'countersignature' ? [{ ...content.statement }] : [],
      );
      const countersignatures = new Map(
        [...own, ...statements].map((statement) => [statement.party, statement]),
      );
      show({ countersignatures });
    },
  };
}

let primaries: Primary[];
const START = Date.UTC(2026, 10, 22);
const pass = (ms: number) => jest.advanceTimersByTimeAsync(ms);
const headsOf = (said: readonly EntryContent[], kind: EntryContent['kind']) =>
  said.flatMap((content) =>
    content.kind === kind && 'statement' in content && 'seq' in content.statement
      ? [content.statement.seq]
      : [],
  );

beforeEach(() => {
  jest.useFakeTimers({ now: START });
  primaries = [];
});
afterEach(async () => {
  await Promise.all(primaries.map((primary) => primary.stop()));
  expect(jest.getTimerCount()).toBe(0);
  jest.useRealTimers();
});

describe('a primary replica countersigns', () => {
  it('the head that it shows as soon as something waits, signed for this vault', async () => {
    const { fold, said } = open();
    await fold({ seq: 6, pending: [pendingEntry(6)] });
    expect(said).toHaveLength(1);
    const [content] = said;
    if (content?.kind !== 'countersignature') throw new Error('no countersignature');
    const { signature, ...statement } = content.statement;
    expect(statement).toEqual(statementOf(1, 6, START));
    const message = countersignatureMessage(statement, GENESIS);
    expect(verify(null, message, identity.publicKey, signature)).toBe(true);
  });

  it('nothing that its disk has not taken, and says all of it once that has', async () => {
    const { fold, world, said } = open();
    world.cleared = 6;
    world.pinnedSeq = 5;
    await fold({ seq: 6, pending: [pendingFreeze(6)] });
    await pass(10 * LOST_AFTER_MS);
    expect(said).toEqual([]);
    world.pinnedSeq = 6;
    await pass(250);
    expect(headsOf(said, 'countersignature')).toEqual([6]);
    expect(headsOf(said, 'acknowledgement')).toEqual([6]);
  });

  it('what waits when it starts', async () => {
    const { said } = open(1, 0, { seq: 6, pending: [pendingEntry(6)] });
    await pass(0);
    expect(headsOf(said, 'countersignature')).toEqual([6]);
  });

  it('nothing when nothing waits', async () => {
    const { fold, primary, said } = open();
    await fold({ seq: 6 });
    primary.look();
    await pass(10 * LOST_AFTER_MS);
    expect(said).toEqual([]);
  });

  it('each head once, however often it looks, and again when something new waits', async () => {
    const { fold, primary, writeDown, said } = open();
    await fold({ seq: 6, pending: [pendingEntry(6)] });
    primary.look();
    await pass(LOST_AFTER_MS);
    expect(headsOf(said, 'countersignature')).toEqual([6]);
    writeDown();
    await fold({ seq: 7 });
    await pass(10 * LOST_AFTER_MS);
    expect(headsOf(said, 'countersignature')).toEqual([6]);
    await fold({ seq: 9, pending: [pendingEntry(6), pendingEntry(9)] });
    expect(headsOf(said, 'countersignature')).toEqual([6, 9]);
  });

  it('again when its statement was lost: not before two seconds, and with the time that it is then', async () => {
    const { fold, said } = open();
    await fold({ seq: 6, pending: [pendingEntry(6)] });
    await pass(LOST_AFTER_MS);
    expect(said).toHaveLength(1);
    await pass(250);
    expect(said).toHaveLength(2);
    expect(said[1]).toMatchObject({ statement: { seq: 6, at: START + LOST_AFTER_MS + 250 } });
  });

  it('again when its statement could not be written, and says so in the log', async () => {
    const { fold, world, said, warned } = open();
    world.appends = false;
    await fold({ seq: 6, pending: [pendingEntry(6)] });
    expect(warned).toEqual([{ event: 'statement_not_given', reason: 'Error: no database' }]);
    world.appends = true;
    await pass(LOST_AFTER_MS + 250);
    expect(headsOf(said, 'countersignature')).toEqual([6]);
  });

  it('again when its statement was lost, although the clock was set back by an hour meanwhile', async () => {
    const { fold, world, said } = open();
    world.appends = false;
    await fold({ seq: 6, pending: [pendingEntry(6)] });
    jest.setSystemTime(START - 3_600_000);
    world.appends = true;
    await pass(LOST_AFTER_MS + 250);
    expect(headsOf(said, 'countersignature')).toEqual([6]);
  });

  it("again for another party's fresh statement that its own cannot agree with", async () => {
    const { fold, show, writeDown, said } = open();
    await fold({ seq: 6, pending: [pendingEntry(6)] });
    await pass(AGREEMENT_MS + 1);
    said.length = 1;
    writeDown();
    const at = Date.now();
    await fold({ seq: 7 });
    await pass(LOST_AFTER_MS);
    expect(said).toHaveLength(1);
    const other = statementOf(2, 6, at);
    writeDown(other);
    show({ seq: 8 });
    await pass(250);
    expect(said).toHaveLength(2);
    const [first, second] = said;
    if (first?.kind !== 'countersignature' || second?.kind !== 'countersignature')
      throw new Error();
    expect([areAgreed(first.statement, other), areAgreed(second.statement, other)]).toEqual([
      false,
      true,
    ]);
    expect(second.statement.seq).toBe(8);
  });

  it.each([
    ['that its own agrees with', 0, AGREEMENT_MS],
    ['that is as old as its own', 0, -1],
    ['that no clock of now agrees with', AGREEMENT_MS + 5_000, -5_001],
  ])('not again for a statement of another party %s', async (_what, passMs, otherMs) => {
    const { fold, writeDown, said } = open();
    await fold({ seq: 6, pending: [pendingEntry(6)] });
    await pass(passMs);
    said.length = 1;
    writeDown(statementOf(2, 6, START + otherMs));
    await fold({ seq: 8 });
    await pass(LOST_AFTER_MS);
    expect(said).toHaveLength(1);
  });

  it('last in turn when two others are to be heard first, each party at its own entries', async () => {
    for (const party of [1, 2, 3] as const) {
      for (const seq of [6, 7, 8]) {
        const { fold, said } = open(party);
        const isLast = (seq + party) % 3 === 0;
        await fold({ seq, pending: [pendingEntry(seq)] });
        expect(said).toHaveLength(isLast ? 0 : 1);
        await pass(25);
        expect(said).toHaveLength(1);
      }
    }
  });

  it('nothing once its fold has stopped', async () => {
    const { fold, world, said } = open();
    world.fault = new Error('rolled back');
    await fold({ seq: 6, pending: [pendingFreeze(6)] }, [judged(5, 'freeze')]);
    world.cleared = 9;
    await pass(10 * LOST_AFTER_MS);
    expect(said).toEqual([]);
  });
});

describe('a primary replica acknowledges a freeze', () => {
  it('once nothing is under way that was decided before it, up to the head, and once', async () => {
    const { fold, primary, world, said } = open();
    await fold({ seq: 6 }, [judged(5, 'freeze')]);
    world.cleared = 5;
    primary.look();
    await pass(10 * LOST_AFTER_MS);
    expect(said).toEqual([]);
    world.cleared = 6;
    primary.look();
    await pass(0);
    expect(said).toHaveLength(1);
    const [content] = said;
    if (content?.kind !== 'acknowledgement') throw new Error('no acknowledgement');
    const { signature, ...statement } = content.statement;
    expect(statement).toEqual({ party: 1, seq: 6, hash: hashOf(6) });
    const message = acknowledgementMessage(statement, GENESIS);
    expect(verify(null, message, identity.publicKey, signature)).toBe(true);
    await pass(10 * LOST_AFTER_MS);
    expect(said).toHaveLength(1);
  });

  it('that only waits to be judged, beside countersigning it, in one statement, at once also where it is last in turn', async () => {
    const { fold, world, said } = open(1);
    world.cleared = 8;
    await fold({ seq: 8, pending: [pendingFreeze(8)] });
    expect(said.map(({ kind }) => kind)).toEqual(['countersignature', 'acknowledgement']);
    expect(world.appended).toBe(1);
    expect(headsOf(said, 'acknowledgement')).toEqual([8]);
  });

  it('that waits, not before it is cleared', async () => {
    const { fold, world, said } = open();
    world.cleared = 7;
    await fold({ seq: 8, pending: [pendingFreeze(8)] });
    await pass(LOST_AFTER_MS);
    expect(headsOf(said, 'acknowledgement')).toEqual([]);
  });

  it('and says no more than the optimistic state obeys: a waiting freeze that it refuses may yet be judged good', async () => {
    const { fold, world, said } = open();
    world.cleared = 100;
    const pending = [pendingFreeze(6), pendingFreeze(8)];
    await fold({ seq: 9, pending, optimistic: optimisticOf(6) });
    expect(headsOf(said, 'acknowledgement')).toEqual([7]);
    world.cleared = 9;
    await fold({ seq: 10, pending: [] }, [judged(6, 'freeze'), judged(8, 'freeze')]);
    expect(headsOf(said, 'acknowledgement')).toEqual([7]);
    world.cleared = 10;
    await pass(250);
    expect(headsOf(said, 'acknowledgement')).toEqual([7, 10]);
  });

  it('that was judged before it started', async () => {
    const { said } = open(1, 3);
    await pass(0);
    expect(headsOf(said, 'acknowledgement')).toEqual([4]);
  });

  it('no earlier one while a later one is not cleared', async () => {
    const { fold, world, said } = open();
    world.cleared = 5;
    await fold({ seq: 8 }, [judged(5, 'freeze'), judged(8, 'freeze')]);
    await pass(LOST_AFTER_MS);
    expect(said).toEqual([]);
    world.cleared = 8;
    await pass(250);
    expect(headsOf(said, 'acknowledgement')).toEqual([8]);
  });

  it('and nothing else: not a refused one, an unfreezing, or what the ledger has of it already', async () => {
    const { fold, world, said } = open();
    world.cleared = 100;
    await fold({ seq: 8 }, [judged(5, 'freeze', {}), judged(6, 'unfreeze'), judged(7, 'vaults')]);
    await fold({ seq: 9, acknowledged: new Map([[1, 9]]) }, [judged(9, 'freeze')]);
    await pass(LOST_AFTER_MS);
    expect(said).toEqual([]);
    await fold({ seq: 10 }, [judged(10, 'freeze')]);
    expect(headsOf(said, 'acknowledgement')).toEqual([10]);
  });

  it('again when it could not be written', async () => {
    const { fold, world, said, warned } = open();
    world.cleared = 100;
    world.appends = false;
    await fold({ seq: 6 }, [judged(6, 'freeze')]);
    expect(warned).toHaveLength(1);
    world.appends = true;
    await pass(250);
    expect(headsOf(said, 'acknowledgement')).toEqual([6]);
  });
});
