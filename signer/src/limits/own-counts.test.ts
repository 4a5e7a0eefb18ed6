import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { howMany } from '../../../test/support/how-many.js';
import { createOwnCounts, type RequestClaim } from './own-counts.js';

const WINDOW_MS = 10_000;
const claim = (requestId: string, amount = '1', limit = '3'): RequestClaim => ({
  bucket: 'b',
  requestId,
  amount,
  limit,
  windowMs: WINDOW_MS,
});

describe("a process's own count", () => {
  it('has room for the limit and no more, and for a request again that it counts already', () => {
    const own = createOwnCounts();
    expect(['a', 'b', 'c', 'd', 'a'].map((id) => own.take(claim(id), 0))).toEqual([
      true,
      true,
      true,
      false,
      true,
    ]);
    expect(own.take(claim('e', '0.1'), WINDOW_MS - 1)).toBe(false);
    // the moment of `a` is that of its last attempt
    expect(own.take(claim('e', '3'), WINDOW_MS)).toBe(true);
  });

  it('says what is left at most, and when there may be room, and changes nothing by that', () => {
    const own = createOwnCounts();
    expect(own.roomOf(claim('a'), 0)).toEqual({ left: '3' });
    own.take(claim('a', '1.5'), 0);
    own.take(claim('b', '1'), 4_000);
    for (let n = 0; n < 2; n++) {
      expect(own.roomOf(claim('c', '1'), 5_000)).toEqual({ left: '0.5', notBeforeS: 5 });
      expect(own.roomOf(claim('c', '2.5'), 5_000)).toEqual({ left: '0.5', notBeforeS: 9 });
      // others have used the rest of it: nobody here knows when they make room
      expect(own.roomOf(claim('c', '0.5'), 5_000)).toEqual({ left: '0.5' });
      // a limit that was lowered below what is used
      expect(own.roomOf(claim('c', '1', '1'), 5_000)).toEqual({ left: '0', notBeforeS: 9 });
    }
    expect(own.take(claim('c', '0.5'), 5_000)).toBe(true);
  });

  it('has no room in a limit of zero', () => {
    expect(createOwnCounts().take(claim('a', '1', '0'), 0)).toBe(false);
    expect(
      createOwnCounts().take(claim('a', '0.0000000000000000000000000000000000000001', '0'), 0),
    ).toBe(false);
  });

  it('counts a request as long as one attempt at it may come to a signature', () => {
    const own = createOwnCounts();
    own.take(claim('a', '3'), 0);
    own.take(claim('a', '3'), 0);
    own.giveBack(claim('a', '3'));
    expect(own.take(claim('b'), 0)).toBe(false);
    own.giveBack(claim('a', '3'));
    expect(own.take(claim('b'), 0)).toBe(true);
  });

  it('adds up without rounding, and counts the largest amount that a request was asked for with', () => {
    const own = createOwnCounts();
    for (const id of ['a', 'b', 'c']) expect(own.take(claim(id, '0.1', '0.3'), 0)).toBe(true);
    expect(own.take(claim('d', '0.0000000001', '0.3'), 0)).toBe(false);
    const other = createOwnCounts();
    other.take(claim('a', '2'), 0);
    other.take(claim('a', '1'), 0);
    expect(other.take(claim('b', '2'), 0)).toBe(false);
  });

  it('forgets the bucket that was used least recently when it is full, and never the one at hand', () => {
    const own = createOwnCounts(2);
    const at = (bucket: string, id: string) => own.take({ ...claim(id, '3'), bucket }, 0);
    expect(at('b', 'a')).toBe(true);
    expect(at('c', 'a')).toBe(true);
    expect(at('d', 'a')).toBe(true);
    expect([at('c', 'z'), at('d', 'z')]).toEqual([false, false]);
    expect(at('b', 'z')).toBe(true);
  });

  it('never lets a window hold more than its limit, whatever is asked', () => {
    const asked = fc.record({
      id: fc.constantFrom('a', 'b', 'c', 'd', 'e', 'f'),
      wait: fc.constantFrom(0, 1, 4_000, 11_000),
      amount: fc.constantFrom('0.5', '1', '2'),
      isGivenBack: fc.boolean(),
    });
    fc.assert(
      fc.property(fc.array(asked, { maxLength: 40 }), (story) => {
        const own = createOwnCounts();
        const kept: { id: string; amount: number; at: number }[] = [];
        let now = 0;
        for (const { id, wait, amount, isGivenBack } of story) {
          now += wait;
          if (!own.take(claim(id, amount), now)) continue;
          if (isGivenBack) own.giveBack(claim(id, amount));
          else kept.push({ id, amount: Number(amount), at: now });
          // each request at its largest amount of the window
          const inWindow = new Map<string, number>();
          for (const one of kept) {
            if (one.at <= now - WINDOW_MS) continue;
            inWindow.set(one.id, Math.max(inWindow.get(one.id) ?? 0, one.amount));
          }
          expect([...inWindow.values()].reduce((sum, each) => sum + each, 0)).toBeLessThanOrEqual(
            3,
          );
        }
      }),
      { numRuns: howMany(1_000) },
    );
  });
});
