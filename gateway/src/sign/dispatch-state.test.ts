import { beforeEach, describe, expect, it } from '@jest/globals';
import { MAX_BATCH, SIGN_TIME_TO_LIVE_MS } from '@countersign/runtime/jobs/names.js';
import { startReplica } from '@countersign/runtime/jobs/replica.js';
import type { SignItem } from '@countersign/runtime/jobs/sign-batch.js';
import type {
  DeniedOutcome,
  RetryOutcome,
  SignOutcome,
} from '@countersign/runtime/jobs/sign-outcome.js';
import type { AskedRequest } from '../requests/asked-request.js';
import {
  RETRY_PAUSE_MS,
  acceptReply,
  createDispatchState,
  enqueue,
  findGone,
  findSteady,
  forgetFlights,
  giveUp,
  mayBeTried,
  isBatchDue,
  launch,
  takeBatch,
  takeExpired,
  type CheckOutcome,
  type DispatchState,
} from './dispatch-state.js';
import type { Choice, Steady } from './choose-pair.js';
import { noteBatch } from './admission-control.js';

/** The state looks at what is to be tried again, and at nothing else of an outcome. */
const DONE = { outcome: 'denied' } as DeniedOutcome;
const RETRY: RetryOutcome = {
  outcome: 'retry',
  reason: 'as a test says',
  nonce: 0n,
  isPartnerAtFault: false,
};
const FAULT = { reason: 'as a test says', accused: 1 } as const;
const ASKED = { lane: 'quick' } as AskedRequest;
const pair = { lead: startReplica(1, 'a'), partner: startReplica(2, 'a'), trial: undefined };
const NOW = 1_000_000;

let state: DispatchState;
let batches: number;
beforeEach(() => {
  state = createDispatchState('quick');
  batches = 0;
});

/** The state looks at an item's name and the time it came, and at nothing else. */
const item = (submission: string, receivedAt = NOW, credential = 'a caller') =>
  ({ submission, receivedAt, nonce: 0n, evidence: { credential } }) as SignItem;

const enqueueOne = (submission: string, receivedAt = NOW) =>
  enqueueItem(item(submission, receivedAt));

function enqueueItem(one: SignItem, asked = ASKED): void {
  const expiresAt = one.receivedAt + SIGN_TIME_TO_LIVE_MS;
  enqueue(state, { item: one, asked, resolve: () => undefined }, expiresAt);
}

function enqueueMany(count: number, name = 'item'): void {
  for (let index = 0; index < count; index++) {
    enqueueOne(`${name} ${index}`);
  }
}

/** Takes the next batch and sends it off; its id. */
function leave(now = NOW): string {
  const batchId = `batch ${batches++}`;
  launch(state, batchId, takeBatch(state, pair, now).batch, pair, now);
  return batchId;
}

function replyTo(
  batchId: string,
  places: readonly number[],
  outcome: SignOutcome = DONE,
  check: CheckOutcome = () => undefined,
) {
  const outcomes = places.map((index) => ({ index, outcome }));
  const reply = { version: 1, batchId, outcomes, retrySignature: new Uint8Array() };
  return acceptReply(state, reply, NOW, () => check);
}

const namesOf = (tasks: readonly { item: SignItem }[]) => tasks.map((task) => task.item.submission);

describe('a batch is due', () => {
  it('while something waits and nothing is in flight', () => {
    expect(isBatchDue(state)).toBe(false);
    enqueueMany(1);
    expect(isBatchDue(state)).toBe(true);
  });

  it('beside others only when it is as large as they are, on average', () => {
    enqueueMany(20);
    leave();
    enqueueMany(19);
    expect(isBatchDue(state)).toBe(false);
    enqueueMany(1);
    expect(isBatchDue(state)).toBe(true);
  });

  it('beside three others only when it is full, and never beside four', () => {
    for (let index = 0; index < 3; index++) {
      enqueueMany(1);
      expect(isBatchDue(state)).toBe(true);
      leave();
    }
    enqueueMany(MAX_BATCH - 1);
    expect(isBatchDue(state)).toBe(false);
    enqueueMany(1);
    expect(isBatchDue(state)).toBe(true);
    leave();
    enqueueMany(1_000);
    expect(isBatchDue(state)).toBe(false);
  });
});

describe('the next batch', () => {
  it('has the oldest requests, in their order, and 64 at most', () => {
    enqueueMany(100);
    const { batch, ended } = takeBatch(state, pair, NOW);
    expect(namesOf(batch)).toEqual(Array.from({ length: MAX_BATCH }, (_, at) => `item ${at}`));
    expect(ended).toEqual([]);
    expect(state.waiting).toHaveLength(100 - MAX_BATCH);
  });

  it('leaves out what pauses, and ends what is over: never sent again, and no longer open', () => {
    enqueueOne('over', NOW - SIGN_TIME_TO_LIVE_MS);
    enqueueOne('pauses');
    enqueueOne('goes');
    state.waiting[1]!.notBefore = NOW + 1;
    const { batch, ended } = takeBatch(state, pair, NOW);
    expect(namesOf(batch)).toEqual(['goes']);
    expect(ended.map(({ task, outcome }) => [task.item.submission, outcome])).toEqual([
      ['over', undefined],
    ]);
    expect(namesOf(state.waiting)).toEqual(['pauses']);
    expect([...state.open]).toEqual(['pauses', 'goes']);
  });
});

describe('a reply', () => {
  it('ends each request once, and the batch with its last one', () => {
    enqueueMany(2);
    const batchId = leave();
    const first = replyTo(batchId, [1, 1, 7])!;
    expect(namesOf(first.ended.map(({ task }) => task))).toEqual(['item 1']);
    expect(first).toMatchObject({ pair, note: undefined });
    expect(state.underWay).toBe(2);
    const second = replyTo(batchId, [0, 1])!;
    expect(namesOf(second.ended.map(({ task }) => task))).toEqual(['item 0']);
    expect(second.note).toEqual({ launchedAt: NOW, end: 'answered', isPartnerAtFault: false });
    expect(state).toMatchObject({ underWay: 0, open: new Set(), flights: new Map() });
  });

  it('to a batch that is over, or was never sent, is nothing', () => {
    enqueueMany(1);
    const batchId = leave();
    replyTo(batchId, [0]);
    expect(replyTo(batchId, [0])).toBeUndefined();
    expect(replyTo('another', [0])).toBeUndefined();
  });

  it('that asks for a retry leaves the request open, to be sent after a pause', () => {
    enqueueMany(1);
    expect(replyTo(leave(), [0], RETRY)).toMatchObject({
      ended: [],
      note: { launchedAt: NOW, end: 'retried', isPartnerAtFault: false },
    });
    expect(state.open.size).toBe(1);
    expect(takeBatch(state, pair, NOW + RETRY_PAUSE_MS - 1).batch).toEqual([]);
    expect(takeBatch(state, pair, NOW + RETRY_PAUSE_MS).batch).toHaveLength(1);
  });

  it('that asks again and again is asked less and less often', () => {
    enqueueMany(1);
    let before = NOW;
    const pauses = Array.from({ length: 8 }, () => {
      replyTo(leave(before), [0], RETRY);
      before = state.waiting[0]!.notBefore;
      return before - NOW;
    });
    expect(pauses).toEqual([25, 50, 100, 200, 400, 800, 800, 800]);
  });
});

describe('an outcome that does not hold', () => {
  const refuseFirst: CheckOutcome = ({ item: { submission } }) =>
    submission === 'item 0' ? FAULT : undefined;

  it('leaves its request as open as it was, and is told of', () => {
    enqueueMany(2);
    const batchId = leave();
    const accepted = replyTo(batchId, [0], DONE, refuseFirst)!;
    expect(accepted).toMatchObject({ ended: [], isAnswer: false, isComplete: false });
    expect(accepted.forged).toMatchObject([{ task: { item: item('item 0') }, fault: FAULT }]);
    expect(state.underWay).toBe(2);
    expect(state.open.size).toBe(2);
    expect(state.waiting).toEqual([]);
  });

  it('stands in the way of no true one: beside it, or after it', () => {
    enqueueMany(2);
    const batchId = leave();
    const beside = replyTo(batchId, [0, 1], DONE, refuseFirst)!;
    expect(namesOf(beside.ended.map(({ task }) => task))).toEqual(['item 1']);
    expect(beside).toMatchObject({ isAnswer: true, isComplete: false });
    const after = replyTo(batchId, [0])!;
    expect(namesOf(after.ended.map(({ task }) => task))).toEqual(['item 0']);
    expect(after).toMatchObject({ forged: [], isComplete: true });
  });

  it('brings no retry on either, nor what it says of numbers and partners', () => {
    enqueueMany(1);
    const batchId = leave();
    const lie = { ...RETRY, nonce: 7n, isPartnerAtFault: true };
    const accepted = replyTo(batchId, [0], lie, refuseFirst)!;
    expect(accepted).toMatchObject({ isAnswer: false, isPartnerAtFault: false });
    expect(state.waiting).toEqual([]);
    expect(state.flights.get(batchId)!.tasks[0]!.nonce).toBe(0n);
  });

  it('ends the look at its reply where there are more of them: checking is work', () => {
    enqueueMany(10);
    const batchId = leave();
    let checked = 0;
    const refuseAll: CheckOutcome = () => {
      checked += 1;
      return FAULT;
    };
    replyTo(batchId, [...Array(10).keys()], DONE, refuseAll);
    expect(checked).toBe(4);
    expect(state.open.size).toBe(10);
  });
});

describe('a retry', () => {
  it('may name a number for the next try; none says nothing about an earlier one', () => {
    enqueueMany(1);
    replyTo(leave(), [0], { ...RETRY, nonce: 7n });
    const again = leave(NOW + RETRY_PAUSE_MS);
    replyTo(again, [0], RETRY);
    expect(state.waiting.map(({ nonce }) => nonce)).toEqual([7n]);
  });

  it('may say that the partner was at fault', () => {
    enqueueMany(2);
    const batchId = leave();
    expect(replyTo(batchId, [0], RETRY)).toMatchObject({ isPartnerAtFault: false });
    const lie = { ...RETRY, isPartnerAtFault: true };
    expect(replyTo(batchId, [1], lie)).toMatchObject({ isPartnerAtFault: true });
  });
});

describe('a batch that is given up', () => {
  it('brings back what it did not answer, after a pause, behind what waits', () => {
    enqueueMany(3);
    const batchId = leave();
    replyTo(batchId, [1]);
    enqueueMany(1, 'new');
    expect(giveUp(state, batchId, NOW)).toEqual({
      pair,
      unanswered: 2,
      note: { launchedAt: NOW, end: 'lost', isPartnerAtFault: false },
    });
    expect(namesOf(state.waiting)).toEqual(['new 0', 'item 0', 'item 2']);
    expect(namesOf(takeBatch(state, pair, NOW).batch)).toEqual(['new 0']);
    expect(namesOf(takeBatch(state, pair, NOW + RETRY_PAUSE_MS).batch)).toEqual([
      'item 0',
      'item 2',
    ]);
    expect(state.underWay).toBe(0);
  });

  it('brings back what is no more taken for a trial, if it was lost in one', () => {
    const lose = (trial: Choice['trial']) => {
      const { batch } = takeBatch(state, { ...pair, trial }, NOW);
      launch(state, 'trial', batch, { ...pair, trial }, NOW);
      giveUp(state, 'trial', NOW);
    };
    const later = NOW + RETRY_PAUSE_MS;
    enqueueMany(1);
    lose(undefined);
    expect(mayBeTried(state, later)).toBe(true);
    state.waiting.length = 0;
    enqueueMany(1);
    lose('lead');
    expect(mayBeTried(state, later)).toBe(false);
    enqueueMany(1, 'new');
    expect(mayBeTried(state, NOW)).toBe(true);
  });

  it('is given up once: not a second time, and not when it is answered', () => {
    enqueueMany(1);
    const batchId = leave();
    giveUp(state, batchId, NOW);
    expect(giveUp(state, batchId, NOW)).toBeUndefined();
    const again = leave(NOW + RETRY_PAUSE_MS);
    replyTo(again, [0]);
    expect(giveUp(state, again, NOW)).toBeUndefined();
  });
});

describe('a batch that was given up, and is answered after all', () => {
  let early: string;
  let again: string;
  beforeEach(() => {
    enqueueMany(2);
    early = leave();
    giveUp(state, early, NOW);
  });

  it('counts for what waits: it is not sent again', () => {
    expect(replyTo(early, [0, 1])).toMatchObject({ isAnswer: true, isComplete: true });
    expect(state.waiting).toEqual([]);
    expect([...state.open]).toEqual([]);
    expect(replyTo(early, [0, 1])).toBeUndefined();
  });

  it('counts once, whichever of the two answers comes first', () => {
    again = leave(NOW + RETRY_PAUSE_MS);
    expect(namesOf(replyTo(early, [0])!.ended.map(({ task }) => task))).toEqual(['item 0']);
    const last = replyTo(again, [0, 1])!;
    expect(namesOf(last.ended.map(({ task }) => task))).toEqual(['item 1']);
    expect(last.isComplete).toBe(true);
    expect(state).toMatchObject({ underWay: 0, waiting: [] });
  });

  it('says nothing of its pair, and nothing of what is to be tried again', () => {
    expect(replyTo(early, [0, 1], RETRY)).toMatchObject({ note: undefined, ended: [] });
    expect(state.waiting).toHaveLength(2);
  });

  it('is checked as any other', () => {
    expect(replyTo(early, [0], DONE, () => FAULT)!.forged).toHaveLength(1);
    expect(state.waiting).toHaveLength(2);
  });

  it('is forgotten after 32 others', () => {
    for (let index = 0; index < 32; index++) giveUp(state, leave(NOW + 10_000), NOW + 10_000);
    expect(replyTo(early, [0, 1])).toBeUndefined();
  });
});

describe('the batches of a party that is gone', () => {
  it('are found, and those of others are not', () => {
    enqueueMany(1);
    const batchId = leave();
    expect(findGone(state, () => true)).toEqual([]);
    expect(findGone(state, (party) => party !== 3)).toEqual([]);
    expect(findGone(state, (party) => party !== 2)).toEqual([batchId]);
    expect(findGone(state, (party) => party !== 1)).toEqual([batchId]);
  });
});

describe('how many requests a batch has', () => {
  it('follows what batches before it took, and eight RSA signatures are the first', () => {
    state = createDispatchState('rsa');
    enqueueMany(1_000);
    const sizes = [1_200, 300, 600, 10_000].map((tookMs) => {
      const size = takeBatch(state, pair, NOW).batch.length;
      noteBatch(state.load, size, tookMs);
      return size;
    });
    expect([...sizes, takeBatch(state, pair, NOW).batch.length]).toEqual([8, 4, 4, 4, 1]);
  });
});

describe('who is ahead of a newcomer', () => {
  it('is who waits, once each, however often it was sent, and nobody who has left', () => {
    enqueueMany(70);
    expect(state.load.ahead.total).toBe(70);
    const batchId = leave();
    expect(state.load.ahead.total).toBe(6);
    replyTo(batchId, [0, 1], RETRY);
    expect(state.load.ahead.total).toBe(8);
    giveUp(state, batchId, NOW);
    expect(state.load.ahead.total).toBe(70);
    replyTo(batchId, [2]);
    expect(state.load.ahead.total).toBe(69);
    expect(takeExpired(state, NOW + SIGN_TIME_TO_LIVE_MS)).toHaveLength(69);
    expect(state.load.ahead.total).toBe(0);
  });
});

describe('requests whose time is over', () => {
  it('are taken out of those that wait, and are no longer open', () => {
    enqueueOne('old', NOW - SIGN_TIME_TO_LIVE_MS);
    enqueueOne('young', NOW - SIGN_TIME_TO_LIVE_MS + 1);
    const ended = takeExpired(state, NOW);
    expect(namesOf(ended.map(({ task }) => task))).toEqual(['old']);
    expect(ended[0]!.outcome).toBeUndefined();
    expect([...state.open]).toEqual(['young']);
  });
});

it('what is forgotten is no longer in flight: replies to it are nothing', () => {
  enqueueMany(3);
  const batchId = leave();
  forgetFlights(state);
  expect(state.underWay).toBe(0);
  expect(replyTo(batchId, [0])).toBeUndefined();
});

describe('the items of one request', () => {
  const enqueueLadder = (name: string, count: number) => {
    const evidence = item(name).evidence;
    for (let index = 0; index < count; index++) {
      const rung = { ...item(`${name} ${index}`), evidence, index };
      enqueueItem(rung);
    }
  };

  it('leave in one batch although batches take long, up to a bound', () => {
    noteBatch(state.load, 8, 10_000);
    enqueueLadder('short', 20);
    enqueueLadder('long', 40);
    expect(state.load.most).toBe(8);
    expect(takeBatch(state, pair, NOW).batch).toHaveLength(20);
    expect(takeBatch(state, pair, NOW).batch).toHaveLength(32);
    expect(takeBatch(state, pair, NOW).batch).toHaveLength(8);
  });

  it('leave one by one for trials', () => {
    enqueueLadder('short', 20);
    expect(takeBatch(state, { ...pair, trial: 'pair' }, NOW).batch).toHaveLength(1);
  });
});

describe('a trial', () => {
  const trial = { ...pair, trial: 'pair' } as const;

  it('gets a single request, however many wait', () => {
    enqueueMany(100);
    expect(takeBatch(state, trial, NOW).batch).toHaveLength(1);
    expect(takeBatch(state, pair, NOW).batch).toHaveLength(MAX_BATCH);
  });
});

describe('what a batch came to', () => {
  it.each([
    [0, 'answered'],
    [2, 'answered'],
    [3, 'retried'],
    [8, 'retried'],
  ] as const)('with %d of 8 to be tried again counts as %s', (retried, end) => {
    enqueueMany(8);
    const batchId = leave();
    const places = Array.from({ length: 8 }, (_, index) => index);
    if (retried > 0) replyTo(batchId, places.slice(0, retried), RETRY);
    const last = retried < 8 ? replyTo(batchId, places.slice(retried)) : undefined;
    if (last !== undefined)
      expect(last.note).toEqual({ launchedAt: NOW, end, isPartnerAtFault: false });
    expect(state.flights.size).toBe(0);
  });
});

describe('requests of a key whose venue wants rising numbers', () => {
  const enqueueRising = (submission: string, risingKeyId: string) =>
    enqueueItem(item(submission), { risingKeyId } as AskedRequest);
  const taken = (now = NOW) => {
    const { batch } = takeBatch(state, pair, now);
    launch(state, `batch ${batches++}`, batch, pair, now);
    return batch.map(({ item: { submission } }) => submission);
  };

  it('are in flight in one batch at a time, and hold up nobody else', () => {
    for (const name of ['a', 'b']) enqueueRising(name, 'key 1');
    expect(taken()).toEqual(['a', 'b']);
    enqueueRising('c', 'key 1');
    enqueueOne('other');
    expect(taken()).toEqual(['other']);
    expect(findSteady(state, NOW)).toBeUndefined();
    expect(taken()).toEqual([]);
    replyTo('batch 0', [0]);
    expect(taken()).toEqual([]);
    replyTo('batch 0', [1]);
    expect(taken()).toEqual(['c']);
  });

  it('are in no batch with those of another such key, nor with those that were tried more often', () => {
    enqueueRising('a', 'key 1');
    enqueueRising('b', 'key 2');
    expect(findSteady(state, NOW)).toEqual({ hashBucket: 'key 1', tries: 0, mayTry: false });
    expect(taken()).toEqual(['a']);
    expect(findSteady(state, NOW)).toEqual({ hashBucket: 'key 2', tries: 0, mayTry: false });
    expect(taken()).toEqual(['b']);
    replyTo('batch 0', [0], RETRY);
    enqueueRising('c', 'key 1');
    const later = NOW + RETRY_PAUSE_MS;
    expect(findSteady(state, later)).toEqual({ hashBucket: 'key 1', tries: 1, mayTry: false });
    expect(taken(later)).toEqual(['a']);
    giveUp(state, 'batch 2', later);
    expect(taken(later)).toEqual(['c']);
  });
});

describe('requests that count against limits', () => {
  /** Buckets whose hash buckets are 0, 1, 2, ... */
  const bucket = (hashBucket: number) =>
    hashBucket
      .toString(16)
      .padStart(64, '0')
      .replace(/^(.{56})(.{8})$/, '$2$1');
  const enqueueLimited = (submission: string, limitBucket: string) =>
    enqueueItem(item(submission), { limitBucket } as AskedRequest);
  const taken = (now = NOW) => {
    const { batch } = takeBatch(state, pair, now);
    launch(state, `batch ${batches++}`, batch, pair, now);
    return batch.map(({ item: { submission } }) => submission);
  };

  it('want one pair for each limit, with as many batches at a time as others', () => {
    for (const name of ['a', 'b']) enqueueLimited(name, bucket(1));
    const wanted = { hashBucket: '00000001', tries: 0, mayTry: true };
    expect(findSteady(state, NOW)).toEqual(wanted);
    expect(taken()).toEqual(['a', 'b']);
    enqueueLimited('c', bucket(1));
    expect(findSteady(state, NOW)).toEqual(wanted);
    expect(taken()).toEqual(['c']);
  });

  it('are together with those of limits that want the same pair, and with what wants none', () => {
    enqueueLimited('a', bucket(1));
    enqueueLimited('b', bucket(2));
    enqueueLimited('c', bucket(7));
    enqueueOne('other');
    expect(taken()).toEqual(['a', 'c', 'other']);
    expect(findSteady(state, NOW)).toEqual({ hashBucket: '00000002', tries: 0, mayTry: true });
    expect(taken()).toEqual(['b']);
  });

  it('are together with those of other hash buckets that want the same pair', () => {
    for (const hashBucket of [1, 2, 4])
      enqueueLimited(`hash bucket ${hashBucket}`, bucket(hashBucket));
    const asked: string[] = [];
    const isPairOf = ({ hashBucket, tries }: Steady) =>
      asked.push(`${hashBucket} ${tries}`) > 0 && hashBucket !== '00000002';
    const names = takeBatch(state, { trial: undefined, isPairOf }, NOW).batch.map(
      ({ item: { submission } }) => submission,
    );
    expect(names).toEqual(['hash bucket 1', 'hash bucket 4']);
    expect(asked).toEqual(['00000002 0', '00000004 0']);
  });

  it('leave numbers that rise to batches of one key, whatever pair those want', () => {
    enqueueLimited('limited', bucket(1));
    const asked = { risingKeyId: 'key 1' } as AskedRequest;
    enqueueItem(item('rising'), asked);
    const { batch } = takeBatch(state, { trial: undefined, isPairOf: () => true }, NOW);
    expect(batch.map(({ item: { submission } }) => submission)).toEqual(['limited']);
  });
});
