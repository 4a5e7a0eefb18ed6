import { describe, expect, it } from '@jest/globals';
import { startReplica } from '@countersign/runtime/jobs/replica.js';
import type { NonceSlot } from '../threads/thread-tasks.js';
import { createCommitmentLender } from './commitment-lender.js';

const SLOTS = 3_000;
const BORROWER = startReplica(2, 'a');
const HOSTILE = startReplica(3, 'a');

/** As the pool of nonces does it: a serial must rise within its slot. */
function openLender() {
  const clock = { now: 1_000_000 };
  const serials = new Map<number, number>();
  const made: NonceSlot[] = [];
  const lender = createCommitmentLender(
    {
      async commit(places) {
        for (const place of places) {
          if (place.serial <= (serials.get(place.slot) ?? 0)) throw new Error('not a new serial');
          serials.set(place.slot, place.serial);
          made.push(place);
        }
        return new Uint8Array(64 * places.length).fill(made.length);
      },
    },
    { slots: SLOTS, self: 1, now: () => clock.now },
  );
  /** Whether what was lent is still in its place. */
  const isThere = ({ slot, serial }: NonceSlot) => serials.get(slot) === serial;
  return { lender, clock, made, isThere };
}

describe('what a lead lends', () => {
  it('are commitments, each in a place of its own among those of its borrower', async () => {
    const { lender, made } = openLender();
    const lent = await lender.lend(BORROWER, 200);
    expect(lent).toHaveLength(200);
    expect(lent.map(({ slot, serial }) => ({ slot, serial }))).toEqual(made);
    expect(new Set(lent.map(({ slot }) => slot)).size).toBe(200);
    expect(lent.every(({ slot }) => lender.isLentTo(2, slot))).toBe(true);
    expect(lent.some(({ slot }) => lender.isLentTo(3, slot) || lender.isLentTo(1, slot))).toBe(
      false,
    );
    expect(lent.every(({ commitment }) => commitment.length === 64)).toBe(true);
  });

  it('is no more than 256 at once', async () => {
    const { lender } = openLender();
    expect(await lender.lend(BORROWER, 4_000)).toHaveLength(256);
  });

  it('is half a third of the slots to a party that uses nothing, and 64 a second from then on', async () => {
    const { lender, clock, made } = openLender();
    for (let ask = 0; ask < 10_000; ask++) await lender.lend(startReplica(3, `fake-${ask}`), 256);
    expect(made).toHaveLength(SLOTS / 6);
    expect(await lender.lend(HOSTILE, 256)).toEqual([]);
    clock.now += 1_000;
    for (let ask = 0; ask < 1_000; ask++) await lender.lend(HOSTILE, 256);
    expect(made).toHaveLength(SLOTS / 6 + 64);
  });

  it('takes the place of nothing that another party borrowed, however much one borrows', async () => {
    const { lender, clock, isThere } = openLender();
    const lent = await lender.lend(BORROWER, 256);
    const own = await lender.trials.lend(1);
    for (let second = 0; second < 200; second++) {
      clock.now += 1_000;
      await lender.lend(HOSTILE, 256);
    }
    expect([...lent, ...own].every(isThere)).toBe(true);
  });

  it('follows what is used: a party that signs can borrow again at its pace', async () => {
    const { lender } = openLender();
    let signed = 0;
    for (let round = 0; round < 100; round++) {
      const lent = await lender.lend(BORROWER, 256);
      for (const _ of lent) lender.noteUsed(2);
      signed += lent.length;
    }
    expect(signed).toBe(25_600);
    // nobody else has more for it
    for (let ask = 0; ask < 100; ask++) await lender.lend(HOSTILE, 256);
    expect(await lender.lend(HOSTILE, 1)).toEqual([]);
  });

  it('is one loan at a time for a replica', async () => {
    const { lender } = openLender();
    const first = lender.lend(BORROWER, 10);
    expect(await lender.lend(BORROWER, 10)).toEqual([]);
    expect(await lender.lend(startReplica(2, 'b'), 10)).toHaveLength(10);
    expect(await first).toHaveLength(10);
    expect(await lender.lend(BORROWER, 10)).toHaveLength(10);
  });

  it('can be asked for again when it could not be made', async () => {
    let fails = true;
    const threads = {
      async commit(places: readonly NonceSlot[]) {
        if (fails) throw new Error('no thread');
        return new Uint8Array(64 * places.length);
      },
    };
    const lender = createCommitmentLender(threads, { slots: SLOTS, self: 1, now: () => 1 });
    await expect(lender.lend(BORROWER, 1)).rejects.toThrow('no thread');
    fails = false;
    expect(await lender.lend(BORROWER, 1)).toHaveLength(1);
  });

  it('rises in each slot, also when the slots have been used in turn many times', async () => {
    const { lender, made } = openLender();
    for (let round = 0; round < 20; round++) {
      for (const { party } of [BORROWER, HOSTILE]) {
        const lent = await lender.lend(startReplica(party, `r-${round}`), 256);
        for (const _ of lent) lender.noteUsed(party);
      }
    }
    expect(made.length).toBeGreaterThan(SLOTS * 2);
  });
});
