import { describe, expect, it } from '@jest/globals';
import { TOLD_AFTER_MS, watchTrouble } from './trouble.js';

function open() {
  const clock = { now: 5_000 };
  const told: string[] = [];
  const trouble = watchTrouble({
    onLasting: (reason) => told.push(reason),
    elapsed: () => clock.now,
  });
  return { clock, told, trouble };
}

describe('trouble', () => {
  it('is there from the first failure on, and over with the first success', () => {
    const { clock, trouble } = open();
    expect(trouble.reason).toBeUndefined();
    trouble.note('full');
    clock.now += 3_600_000;
    expect(trouble.reason).toBe('full');
    trouble.note('still full');
    expect(trouble.reason).toBe('still full');
    trouble.end();
    expect(trouble.reason).toBeUndefined();
  });

  it('is told once when it has lasted for seconds, and again only when it came again', () => {
    const { clock, told, trouble } = open();
    trouble.note('full');
    clock.now += TOLD_AFTER_MS - 1;
    trouble.note('full');
    expect(told).toEqual([]);
    for (let count = 0; count < 3; count++) {
      clock.now += 1;
      trouble.note('full');
    }
    expect(told).toEqual(['full']);
    trouble.end();
    trouble.note('broken');
    clock.now += TOLD_AFTER_MS;
    trouble.note('broken');
    expect(told).toEqual(['full', 'broken']);
  });

  it('that comes and goes is not told', () => {
    const { clock, told, trouble } = open();
    for (let count = 0; count < 10; count++) {
      trouble.note('slow');
      clock.now += TOLD_AFTER_MS - 1;
      trouble.end();
    }
    expect(told).toEqual([]);
  });
});
