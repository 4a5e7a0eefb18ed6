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

  it('count only as the answer to the last request of that lead', async () => {
    const { borrowed, asked } = openBorrowed();
    const taken = borrowed.take(LEAD, 1, 800);
    await jest.advanceTimersByTimeAsync(250);
    expect(asked).toHaveLength(2);
    borrowed.receive(LEAD, 1, lent(0, 5));
    borrowed.receive(OTHER, 2, lent(10, 5));
    borrowed.receive(LEAD, 2, lent(20, 5));
    borrowed.receive(LEAD, 2, lent(30, 5));
    expect(serials(await taken)).toEqual([20]);
    expect(serials(await borrowed.take(LEAD, 4, 800))).toEqual([21, 22, 23, 24]);
    const none = borrowed.take(LEAD, 1, 0);
    expect(await none).toEqual([]);
  });

  it('of a lead that does not know them any more are forgotten, those of others kept', async () => {
    const { borrowed, answer } = openBorrowed();
    for (const [lead, from] of [
      [LEAD, 0],
      [OTHER, 1_000],
    ] as const) {
      const taken = borrowed.take(lead, 1, 800);
      answer(from, 256);
      await taken;
    }
    borrowed.forget(LEAD);
    expect(serials(await borrowed.take(OTHER, 1, 0))).toEqual([1_001]);
    expect(await borrowed.take(LEAD, 1, 0)).toEqual([]);
  });
});
