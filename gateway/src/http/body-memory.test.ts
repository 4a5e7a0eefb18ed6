import { describe, expect, it } from '@jest/globals';
import { createBodyMemory, type BodyHolder, type BodyMemory } from './body-memory.js';

const KIB = 1024;
const LIMITS = { totalBytes: 128 * KIB, callerBytes: 32 * KIB };

const at = (source: string, isProven = false): BodyHolder => ({ id: 'ada', source, isProven });

/** How much whoever takes all they can gets. */
function takenBy(memory: BodyMemory, holder: BodyHolder, each = KIB): number {
  const before = memory.heldBytes;
  for (;;) {
    try {
      memory.open(holder).take(each);
    } catch {
      return memory.heldBytes - before;
    }
  }
}

describe('bodies that name a caller', () => {
  it('from one address take half of that caller’s share, and leave half to others', () => {
    const memory = createBodyMemory(LIMITS);
    expect(takenBy(memory, at('192.0.2.1'))).toBe(16 * KIB);
    expect(takenBy(memory, at('192.0.2.2'))).toBe(8 * KIB);
  });

  it('from ten addresses leave something to one more, and from however many take no more than that share', () => {
    const memory = createBodyMemory(LIMITS);
    const many = (count: number) => {
      for (let one = 1; one <= count; one++) takenBy(memory, at(`192.0.2.${one}`), 16);
    };
    many(10);
    expect(takenBy(memory, at('198.51.100.1'), 16)).toBeGreaterThan(0);
    many(1_000);
    expect(memory.heldBytes).toBe(LIMITS.callerBytes);
  });

  it('take nothing of what they have where they signed, nor from other callers', () => {
    const memory = createBodyMemory(LIMITS);
    for (let one = 1; one <= 1_000; one++) takenBy(memory, at(`192.0.2.${one}`), 16);
    expect(takenBy(memory, at('198.51.100.1', true))).toBe(LIMITS.callerBytes);
    expect(takenBy(memory, { ...at('198.51.100.1', true), id: 'bob' })).toBe(LIMITS.callerBytes);
    expect(memory.heldBytes).toBeLessThanOrEqual(LIMITS.totalBytes);
  });

  it('give back all that they took', () => {
    const memory = createBodyMemory(LIMITS);
    const shares = [at('192.0.2.1'), at('192.0.2.1', true)].map((holder) => memory.open(holder));
    for (const share of shares) {
      share.take(16 * KIB);
      share.release();
    }
    expect(memory.heldBytes).toBe(0);
    expect(takenBy(memory, at('192.0.2.1'))).toBe(16 * KIB);
    expect(takenBy(memory, at('192.0.2.1', true))).toBe(32 * KIB);
  });

  it.each(['signed', 'not signed'])(
    'are counted until parties are done with them, whether %s, and their answer has been sent',
    async (end) => {
      const memory = createBodyMemory(LIMITS);
      const shares = [1, 2].map(() => memory.open(at('192.0.2.1', true)));
      let done = (): void => undefined;
      const work = new Promise<void>((resolve, reject) => {
        done = end === 'signed' ? resolve : () => reject(new Error('no'));
      });
      for (const share of shares) {
        share.take(KIB);
        share.holdFor(work);
      }
      shares[0]!.release();
      expect(memory.heldBytes).toBe(2 * KIB);
      done();
      await new Promise(setImmediate);
      expect(memory.heldBytes).toBe(KIB);
      shares[1]!.release();
      expect(memory.heldBytes).toBe(0);
    },
  );
});
