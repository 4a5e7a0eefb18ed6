import { randomBytes } from 'node:crypto';
import { afterEach, beforeEach, describe, expect, it, jest } from '@jest/globals';
import { createEvidenceKeys } from '@countersign/core/evidence-key.js';
import {
  openSignBatch,
  type SignBatch,
  type SignItem,
} from '@countersign/runtime/jobs/sign-batch.js';
import { replicaId, startReplica, type Replica } from '@countersign/runtime/jobs/replica.js';
import type { DeniedOutcome, SignOutcome } from '@countersign/runtime/jobs/sign-outcome.js';
import { createLogger } from '@countersign/runtime/process/logger.js';
import { createDispatcher, type Dispatcher } from './dispatcher.js';
import type { Presence } from './presence.js';

const keys = createEvidenceKeys([randomBytes(32)]);
const DONE: DeniedOutcome = { outcome: 'denied', errType: 'forbidden', reason: 'as a test says' };
const RETRY: SignOutcome = { outcome: 'retry', reason: 'as a test says' };
const HEAD = { seq: 7, headHash: randomBytes(32).toString('hex') };
const PARTIES = ([1, 2, 3] as const).map((party): Replica => startReplica(party, 'a'));

let sent: { to: Replica; batch: SignBatch }[];
let suspects: Set<string>;
let notes: string[];
let alive: readonly Replica[];
let sendFails: boolean;
let dispatcher: Dispatcher;

/** Prefers whom nobody suspects, as the real one does. */
const presence: Presence = {
  isAlive: (party) => alive.some((replica) => replica.party === party),
  choosePair() {
    if (alive.length < 2) return undefined;
    const ranked = alive.toSorted(
      (a, b) => Number(suspects.has(replicaId(a))) - Number(suspects.has(replicaId(b))),
    );
    return { lead: ranked[0]!, partner: ranked[1]!, trial: undefined };
  },
  note({ lead, partner }, note) {
    notes.push(note.end);
    for (const replica of [lead, partner]) {
      if (note.end === 'answered') suspects.delete(replicaId(replica));
      if (note.end === 'lost') suspects.add(replicaId(replica));
    }
  },
  stop: () => undefined,
};

beforeEach(() => {
  jest.useFakeTimers();
  sent = [];
  suspects = new Set();
  notes = [];
  alive = PARTIES;
  sendFails = false;
  dispatcher = createDispatcher({
    gatewayId: 'gateway-1',
    presence: () => presence,
    async send(to, sealed) {
      if (sendFails) throw new Error('no Redis');
      sent.push({ to, batch: openSignBatch(sealed, keys) });
    },
    head: () => HEAD,
    keys,
    logger: createLogger('test', 'silent'),
    now: Date.now,
  });
});

afterEach(() => {
  dispatcher.stop();
  jest.useRealTimers();
});

function item(): SignItem {
  return {
    submission: randomBytes(16).toString('hex'),
    receivedAt: Date.now(),
    evidence: {
      method: 'POST',
      path: '/v1/x',
      query: '',
      body: Buffer.from('{}'),
      scheme: 'ApiKey',
      credential: 'x',
      timestampMs: Date.now(),
      nonce: randomBytes(8),
      assertion: Buffer.alloc(64),
    },
  };
}

const submitMany = (count: number) =>
  Array.from({ length: count }, () => dispatcher.submit(item()));

/** Batches in the order they left; each went to two replicas. */
function batches(): SignBatch[] {
  return [...new Map(sent.map(({ batch }) => [batch.batchId, batch])).values()];
}

function answer(batch: SignBatch, outcome: SignOutcome = DONE): void {
  dispatcher.receive({
    batchId: batch.batchId,
    outcomes: batch.items.map((_item, index) => ({ index, outcome })),
  });
}

const advance = (ms: number) => jest.advanceTimersByTimeAsync(ms);

describe('batching', () => {
  it('sends a single request at once, to its lead and its partner, with the head it saw', async () => {
    const outcome = dispatcher.submit(item());
    expect(sent.map(({ to }) => to)).toEqual([PARTIES[0], PARTIES[1]]);
    expect(batches()[0]).toMatchObject({
      lead: PARTIES[0],
      partner: PARTIES[1],
      ledgerSeq: 7,
      ledgerHash: HEAD.headHash,
    });
    answer(batches()[0]!);
    expect(await outcome).toEqual(DONE);
    expect(dispatcher.pending).toBe(0);
    expect(notes).toEqual(['answered']);
  });

  it('gathers requests while four batches are under way, and sends them as one', async () => {
    const outcomes = submitMany(40);
    expect(batches().map(({ items }) => items.length)).toEqual([1, 1, 1, 1]);
    answer(batches()[0]!);
    expect(batches().map(({ items }) => items.length)).toEqual([1, 1, 1, 1, 36]);
    for (const batch of batches()) answer(batch);
    expect(await Promise.all(outcomes)).toEqual(outcomes.map(() => DONE));
  });

  it('never puts more than 64 requests into a batch, and keeps their order', async () => {
    const items = Array.from({ length: 104 }, item);
    const outcomes = items.map((each) => dispatcher.submit(each));
    for (let index = 0; index < batches().length; index++) answer(batches()[index]!);
    await Promise.all(outcomes);
    expect(batches().map(({ items: { length } }) => length)).toEqual([1, 1, 1, 1, 64, 36]);
    const order = batches().flatMap((batch) => batch.items.map(({ submission }) => submission));
    expect(order).toEqual(items.map(({ submission }) => submission));
  });
});

describe('replies that are lost', () => {
  it('sends the request to others after the deadline of its batch', async () => {
    const outcome = dispatcher.submit(item());
    await advance(1_600);
    const [first, second] = batches();
    expect(second!.items[0]!.submission).toBe(first!.items[0]!.submission);
    expect(second!.lead).toEqual(PARTIES[2]);
    answer(second!);
    expect(await outcome).toEqual(DONE);
    expect(notes).toEqual(['lost', 'answered']);
  });

  it('takes an answer that comes after its batch was given up for nothing', async () => {
    const outcome = dispatcher.submit(item());
    await advance(1_600);
    answer(batches()[0]!);
    expect(dispatcher.pending).toBe(1);
    answer(batches()[1]!);
    answer(batches()[1]!);
    expect(await outcome).toEqual(DONE);
  });

  it('sends again only what a reply left out', async () => {
    const outcomes = submitMany(6);
    for (const batch of batches().slice(0, 4)) answer(batch);
    const last = batches()[4]!;
    expect(last.items).toHaveLength(2);
    dispatcher.receive({ batchId: last.batchId, outcomes: [{ index: 1, outcome: DONE }] });
    await advance(1_600);
    const again = batches()[5]!;
    expect(again.items).toEqual([last.items[0]]);
    answer(again);
    expect(await Promise.all(outcomes)).toHaveLength(6);
  });

  it('does not stall when no reply ever comes: everything ends, and new requests go through', async () => {
    const outcomes = submitMany(500);
    await advance(31_600);
    expect(await Promise.all(outcomes)).toEqual(outcomes.map(() => undefined));
    expect(dispatcher.pending).toBe(0);
    const fresh = dispatcher.submit(item());
    answer(batches().at(-1)!);
    expect(await fresh).toEqual(DONE);
  });

  it('does not stall when Redis takes no job, and goes on as soon as it does', async () => {
    sendFails = true;
    const outcome = dispatcher.submit(item());
    await advance(5_000);
    sendFails = false;
    await advance(50);
    answer(batches().at(-1)!);
    expect(await outcome).toEqual(DONE);
  });

  it('ignores replies to batches, and for places in them, that it did not send', async () => {
    const outcome = dispatcher.submit(item());
    const { batchId } = batches()[0]!;
    const unknown = randomBytes(16).toString('hex');
    dispatcher.receive({ batchId: unknown, outcomes: [{ index: 0, outcome: DONE }] });
    dispatcher.receive({ batchId, outcomes: [{ index: 99, outcome: DONE }] });
    dispatcher.receive({ batchId, outcomes: [] });
    expect(dispatcher.pending).toBe(1);
    answer(batches()[0]!);
    expect(await outcome).toEqual(DONE);
  });
});

describe('the end of a request', () => {
  it('comes by an outcome, not by a retry: that is tried again after a pause', async () => {
    const outcome = dispatcher.submit(item());
    for (let attempt = 0; attempt < 3; attempt++) {
      answer(batches()[attempt]!, RETRY);
      expect(batches()).toHaveLength(attempt + 1);
      await advance(30);
      expect(batches()).toHaveLength(attempt + 2);
    }
    answer(batches()[3]!);
    expect(await outcome).toEqual(DONE);
  });

  it('comes after its time to live while fewer than two parties are there', async () => {
    alive = PARTIES.slice(0, 1);
    const one = item();
    const outcome = dispatcher.submit(one);
    expect(dispatcher.has(one.submission)).toBe(true);
    await advance(29_900);
    expect(dispatcher.pending).toBe(1);
    await advance(200);
    expect(await outcome).toBeUndefined();
    expect(dispatcher.has(one.submission)).toBe(false);
    expect(sent).toEqual([]);
  });

  it('is not overtaken: what waited for a second party leaves when that is there', async () => {
    alive = PARTIES.slice(0, 1);
    const outcome = dispatcher.submit(item());
    await advance(10_000);
    alive = PARTIES;
    await advance(50);
    answer(batches()[0]!);
    expect(await outcome).toEqual(DONE);
  });

  it('is never sent again once its time is over', async () => {
    const outcome = dispatcher.submit(item());
    await advance(60_000);
    expect(await outcome).toBeUndefined();
    const count = sent.length;
    await advance(60_000);
    expect(sent).toHaveLength(count);
  });
});
