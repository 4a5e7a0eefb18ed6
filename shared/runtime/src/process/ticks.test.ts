import { afterEach, beforeEach, describe, expect, it, jest } from '@jest/globals';
import { openTicks, type Ticks } from './ticks.js';

const opened: Ticks[] = [];
let ticked: string[];
beforeEach(() => {
  ticked = [];
  jest.useFakeTimers();
});
afterEach(() => {
  for (const ticks of opened.splice(0)) ticks.stop();
  jest.useRealTimers();
});

function open(name: string, everyMs: number): Ticks {
  const ticks = openTicks(everyMs, () => ticked.push(`${name} ${performance.now()}`));
  opened.push(ticks);
  return ticks;
}

describe('ticks', () => {
  it('of all intervals fall together, whenever they were opened', () => {
    open('quick', 1_000);
    jest.advanceTimersByTime(1_300);
    open('slow', 2_000);
    jest.advanceTimersByTime(2_800);
    expect(ticked.toSorted()).toEqual([
      'quick 1000',
      'quick 2000',
      'quick 3000',
      'quick 4000',
      'slow 2000',
      'slow 4000',
    ]);
  });

  it('that came early come once, and those of a standstill are not made up for', () => {
    const clock = jest.spyOn(performance, 'now').mockReturnValue(0);
    let ticks = 0;
    opened.push(openTicks(1_000, () => (ticks += 1)));
    clock.mockReturnValue(999.4);
    jest.advanceTimersByTime(1_000);
    jest.advanceTimersByTime(1_000);
    expect(ticks).toBe(1);
    clock.mockReturnValue(9_500);
    jest.advanceTimersByTime(1);
    jest.advanceTimersByTime(499);
    expect(ticks).toBe(2);
    jest.advanceTimersByTime(1);
    expect(ticks).toBe(3);
    clock.mockRestore();
  });

  it('end when they are stopped, also from within', () => {
    const ticks = openTicks(1_000, () => {
      ticked.push('tick');
      ticks.stop();
    });
    jest.advanceTimersByTime(5_000);
    expect(ticked).toEqual(['tick']);
  });
});
