import { afterEach, beforeEach, describe, expect, it, jest } from '@jest/globals';
import { startReplica, type Replica } from '@countersign/runtime/jobs/replica.js';
import type { LentCommitment } from '../channel/messages.js';
import { createBorrowedCommitments } from './borrowed-commitments.js';

const LEAD = startReplica(1, 'a');
const OTHER = startReplica(3, 'a');

function lent(from: number, count: number): LentCommitment[] {
  return Array.from({ length: count }, (_, index) => ({
    slot: from + index,
    serial: from + index,
    commitment: new Uint8Array(64),
  }));
}

function openBorrowed() {
  const asked: { lead: Replica; token: number; count: number }[] = [];
  const borrowed = createBorrowedCommitments(
    (lead, token, count) => void asked.push({ lead, token, count }),
    Date.now,
  );
  const answer = (from: number, count: number) => {
    const { lead, token } = asked.at(-1)!;
    borrowed.receive(lead, token, lent(from, count));
  };
  return { borrowed, asked, answer };
}

const serials = (commitments: readonly LentCommitment[]) => commitments.map(({ serial }) => serial);

beforeEach(() => {
  jest.useFakeTimers();
});
afterEach(() => {
  jest.useRealTimers();
});

describe('borrowed commitments', () => {
  it('are asked for when they are wanted, and given each once, in order', async () => {
    const { borrowed, asked, answer } = openBorrowed();
    const first = borrowed.take(LEAD, 2, 800);
    expect(asked).toEqual([{ lead: LEAD, token: 1, count: 256 }]);
    answer(0, 256);
    expect(serials(await first)).toEqual([0, 1]);
    expect(serials(await borrowed.take(LEAD, 3, 800))).toEqual([2, 3, 4]);
    expect(asked).toHaveLength(1);
    expect(jest.getTimerCount()).toBe(0);
  });

  it('are asked for again before they run out, once', async () => {
    const { borrowed, asked, answer } = openBorrowed();
    const first = borrowed.take(LEAD, 1, 800);
    answer(0, 256);
    await first;
    await borrowed.take(LEAD, 127, 800);
    expect(asked).toHaveLength(1);
    await borrowed.take(LEAD, 1, 800);
    expect(asked).toHaveLength(2);
    await borrowed.take(LEAD, 1, 800);
    expect(asked).toHaveLength(2);
  });

  it('are fewer when they do not come in time, and asked for again meanwhile', async () => {
    const { borrowed, asked } = openBorrowed();
    const taken = borrowed.take(LEAD, 2, 800);
    await jest.advanceTimersByTimeAsync(800);
    expect(await taken).toEqual([]);
    expect(asked.map(({ token }) => token)).toEqual([1, 2, 3, 4]);
  });

  it('count as the answer to a request of that lead, once, also where it was asked again meanwhile', async () => {
    const { borrowed, asked } = openBorrowed();
    const taken = borrowed.take(LEAD, 1, 800);
    await jest.advanceTimersByTimeAsync(250);
    expect(asked).toHaveLength(2);
    borrowed.receive(OTHER, 2, lent(10, 5));
    borrowed.receive(LEAD, 3, lent(15, 5));
    borrowed.receive(LEAD, 1, lent(0, 2));
    borrowed.receive(LEAD, 1, lent(20, 5));
    borrowed.receive(LEAD, 2, lent(30, 2));
    borrowed.receive(LEAD, 1, lent(40, 5));
    expect(serials(await taken)).toEqual([0]);
    expect(serials(await borrowed.take(LEAD, 3, 0))).toEqual([1, 30, 31]);
    expect(await borrowed.take(OTHER, 1, 0)).toEqual([]);
  });

  it('that were not asked for are left: of one lead no more are kept than an answer beyond what is low', async () => {
    const { borrowed, asked, answer } = openBorrowed();
    const taken = borrowed.take(LEAD, 1, 800);
    answer(1, 100_000);
    expect(serials(await taken)).toEqual([1]);
    const rest = await borrowed.take(LEAD, 100_000, 0);
    expect(serials(rest)).toEqual(Array.from({ length: 255 }, (_, index) => index + 2));
    // answers to requests of old, kept back and sent at once
    const tokens = asked.length;
    const again = borrowed.take(LEAD, 1_000, 2_000);
    await jest.advanceTimersByTimeAsync(2_000);
    await again;
    for (let token = tokens; token <= asked.length; token++) {
      borrowed.receive(LEAD, token, lent(token * 1_000, 256));
    }
    expect((await borrowed.take(LEAD, 100_000, 0)).length).toBe(384);
  });

  it('are remembered for 64 leads of a party: one that invents replicas pushes out its own alone', async () => {
    const { borrowed, asked } = openBorrowed();
    const take = async (lead: Replica) => {
      const taken = borrowed.take(lead, 1, 800);
      borrowed.receive(lead, asked.at(-1)!.token, lent(0, 256));
      return taken;
    };
    await take(OTHER);
    await take(LEAD);
    for (let count = 0; count < 200; count++) await take(startReplica(1, `fake-${count}`));
    expect(await borrowed.take(OTHER, 1, 0)).toHaveLength(1);
    expect(await borrowed.take(LEAD, 1, 0)).toHaveLength(0);
  });

  it('of a lead that never answers leave nothing behind', async () => {
    const { borrowed } = openBorrowed();
    const taken = borrowed.take(LEAD, 1, 800);
    await jest.advanceTimersByTimeAsync(800);
    expect(await taken).toEqual([]);
    expect(jest.getTimerCount()).toBe(0);
  });
});
