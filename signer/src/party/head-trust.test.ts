import { afterEach, beforeEach, describe, expect, it, jest } from '@jest/globals';
import { startReplica, type Replica } from '@countersign/runtime/jobs/replica.js';
import type { LedgerFollower } from '@countersign/runtime/ledger/ledger-follower.js';
import {
  primaryTrust,
  openVouchedTrust,
  type VouchedTrust,
  type VouchMessage,
} from './head-trust.js';

const LEASE_MS = 1_000;
const ASK_EVERY_MS = 300;
const ANSWER_WITHIN_MS = 500;
const PRIMARY = startReplica(1, 'primary');
const HASH = Buffer.alloc(32, 8);

type Question = Extract<VouchMessage, { kind: 'vouch-request' }>;

/** A replica whose log has entry 8 as the primary replica has it; what it asks, and of whom. */
function open() {
  const world = {
    primary: PRIMARY as Replica | undefined,
    cleared: 8,
    sends: true,
    find: undefined as (() => Promise<Replica>) | undefined,
  };
  const asked: { to: Replica; question: Question }[] = [];
  const listeners: (() => void)[] = [];
  trust = openVouchedTrust({
    follower: {
      view: { hashAt: (seq: number) => (seq === 8 ? HASH.toString('hex') : undefined) },
      onOutcomes: (listener: () => void) => void listeners.push(listener),
    } as unknown as Pick<LedgerFollower, 'view' | 'onOutcomes'>,
    elapsed: () => performance.now(),
    findPrimary: async () => (world.find === undefined ? world.primary : world.find()),
    clearedSeq: () => world.cleared,
    async send(to, message) {
      if (!world.sends) throw new Error('no Redis');
      if (message.kind === 'vouch-request') asked.push({ to, question: message });
    },
  });
  const answer = (index = -1, { seq = 8, hash = HASH as Uint8Array } = {}) => {
    const { token } = asked.at(index)!.question;
    trust!.receive(PRIMARY, { kind: 'vouch', token, seq, hash });
  };
  return { trust, world, asked, answer, fold: () => listeners.forEach((listener) => listener()) };
}

let trust: VouchedTrust | undefined;
const pass = (ms: number) => jest.advanceTimersByTimeAsync(ms);

/** What `covers` comes to when nobody answers any more. */
async function covers(seq: number): Promise<boolean> {
  const covered = trust!.covers(seq);
  await pass(ANSWER_WITHIN_MS);
  return covered;
}

beforeEach(() => {
  // the runner's own ticks are none of what is counted below
  const doNotFake = ['nextTick', 'queueMicrotask', 'setImmediate'] as const;
  jest.useFakeTimers({ now: Date.UTC(2026, 10, 22), doNotFake: [...doNotFake] });
});
afterEach(() => {
  trust?.stop();
  trust = undefined;
  expect(jest.getTimerCount()).toBe(0);
  jest.useRealTimers();
});

describe('a primary replica', () => {
  it('trusts what its disk has taken, and nothing that only shows', async () => {
    const follower: Parameters<typeof primaryTrust>[0] = { pinnedSeq: 8, pinTrouble: undefined };
    const own = primaryTrust(follower);
    expect(await Promise.all([7, 8, 9].map((seq) => own.covers(seq)))).toEqual([true, true, false]);
    expect(own.isFresh).toBe(true);
    Object.assign(follower, { pinTrouble: 'ENOSPC' });
    expect(own.isFresh).toBe(false);
  });
});

describe('another replica of the party', () => {
  it('covers nothing that nobody vouched for', async () => {
    open();
    expect(await covers(0)).toBe(false);
  });

  it('covers what its primary replica vouched for, up to that head and not beyond', async () => {
    const { asked, answer } = open();
    await pass(ASK_EVERY_MS);
    expect(asked.map(({ to }) => to)).toEqual([PRIMARY]);
    answer();
    expect(await covers(8)).toBe(true);
    expect(await covers(1)).toBe(true);
    answer();
    expect(await covers(9)).toBe(false);
  });

  it('asks for what it has no answer to, and covers it with the answer', async () => {
    const { trust: own, asked, answer } = open();
    const covered = own.covers(8);
    await pass(0);
    expect(asked).toHaveLength(1);
    answer();
    expect(await covered).toBe(true);
    expect(jest.getTimerCount()).toBe(1);
  });

  it('covers it no longer than the lease, which runs from the question and not from the answer', async () => {
    const { fold, answer, world } = open();
    fold();
    await pass(0);
    world.primary = undefined;
    await pass(LEASE_MS - 1);
    answer();
    const covered = trust!.covers(8);
    expect(await covered).toBe(true);
    await pass(1);
    expect(await covers(8)).toBe(false);
  });

  it('covers it no longer than the lease, although the clock was set back meanwhile', async () => {
    const { trust: own, fold, answer, world } = open();
    fold();
    await pass(0);
    answer();
    world.primary = undefined;
    jest.setSystemTime(Date.now() - 3_600_000);
    await pass(LEASE_MS);
    expect(own.isFresh).toBe(false);
    expect(await covers(8)).toBe(false);
  });

  it('covers nothing by an answer that comes after the lease', async () => {
    const { fold, answer, world } = open();
    fold();
    await pass(0);
    world.primary = undefined;
    await pass(LEASE_MS);
    answer();
    expect(await covers(8)).toBe(false);
  });

  it('covers nothing by an answer to no question of its own, nor by one that comes twice', async () => {
    const { trust: own, fold, asked, answer, world } = open();
    fold();
    await pass(0);
    const { token } = asked[0]!.question;
    own.receive(PRIMARY, { kind: 'vouch', token: (token + 1) % 2 ** 32, seq: 8, hash: HASH });
    own.receive(PRIMARY, { kind: 'vouch-request', token, clearedSeq: 8 });
    world.primary = undefined;
    expect(await covers(8)).toBe(false);
    answer(0);
    expect(await covers(8)).toBe(true);
    await pass(LEASE_MS);
    answer(0);
    expect(await covers(8)).toBe(false);
  });

  it('asks the primary replica that answered, whomever Redis names in its place', async () => {
    const { world, fold, asked, answer } = open();
    fold();
    await pass(0);
    answer();
    world.primary = startReplica(PRIMARY.party, 'somebody');
    await pass(ASK_EVERY_MS);
    expect(asked.slice(1).map(({ to }) => to)).toEqual([PRIMARY, world.primary]);
    answer(1);
    expect(await covers(8)).toBe(true);
    // one that has not answered for long is nobody's primary replica any more
    await pass(10_000);
    const before = asked.length;
    await pass(ASK_EVERY_MS);
    expect(asked.slice(before).map(({ to }) => to)).toEqual([world.primary]);
  });

  it.each([
    ['has another hash in its own log', { hash: Buffer.alloc(32, 9) }],
    ['its own log does not have yet', { seq: 9 }],
  ])('covers nothing by a head that %s', async (_what, head) => {
    const { answer } = open();
    await pass(ASK_EVERY_MS);
    answer(-1, head);
    expect(await covers(8)).toBe(false);
  });

  it('tells its primary replica, with every question, what is under way here', async () => {
    const { world, fold, asked } = open();
    fold();
    await pass(0);
    world.cleared = 3;
    await pass(ASK_EVERY_MS);
    expect(asked.map(({ question }) => question.clearedSeq)).toEqual([8, 3]);
    const tokens = asked.map(({ question }) => question.token);
    expect(new Set(tokens).size).toBe(2);
  });

  it('tells it at once that more is cleared, and says nothing where nothing is', async () => {
    const { world, trust: own, fold, asked } = open();
    world.cleared = 3;
    fold();
    await pass(0);
    own.tellCleared();
    await pass(0);
    expect(asked).toHaveLength(1);
    world.cleared = 8;
    own.tellCleared();
    await pass(0);
    own.tellCleared();
    await pass(0);
    expect(asked.map(({ question }) => question.clearedSeq)).toEqual([3, 8]);
  });

  it('has two questions at most to send when Redis was away for minutes', async () => {
    const { world, asked } = open();
    const back: (() => void)[] = [];
    // a command waits for the connection
    world.find = () => new Promise((resolve) => back.push(() => resolve(PRIMARY)));
    await pass(310_000);
    while (back.length > 0) {
      back.shift()!();
      await pass(0);
    }
    expect(asked).toHaveLength(2);
    world.find = undefined;
    await pass(ASK_EVERY_MS);
    expect(asked).toHaveLength(3);
  });

  it('asks nobody where nobody has heard of a primary replica, and breaks nothing when Redis is away', async () => {
    const { world, asked } = open();
    world.primary = undefined;
    await pass(ASK_EVERY_MS);
    world.primary = PRIMARY;
    world.sends = false;
    await pass(ASK_EVERY_MS);
    expect(asked).toEqual([]);
    world.sends = true;
    await pass(ASK_EVERY_MS);
    expect(asked).toHaveLength(1);
  });

  it('does not keep anybody waiting when it stops', async () => {
    const { trust: own } = open();
    const covered = own.covers(8);
    own.stop();
    expect(await covered).toBe(false);
  });
});
