import { beforeEach, describe, expect, it } from '@jest/globals';
import { openLeaseClock } from './lease-clock.js';

const HOUR = 3_600_000;

let wall: number;
let monotonic: number;
let clock: () => number;
beforeEach(() => {
  [wall, monotonic] = [100 * HOUR, 5];
  clock = openLeaseClock(
    () => Math.trunc(wall),
    () => monotonic,
  );
});

/** Both go on. */
function pass(ms: number): void {
  wall += ms;
  monotonic += ms;
}

describe('the clock of leases', () => {
  it('goes as a monotonic clock does, however often it is read', () => {
    for (let read = 0; read < 10_000; read += 1) {
      pass(0.7);
      clock();
    }
    expect(clock()).toBeCloseTo(7_005, 6);
  });

  it('counts the time for which its host slept', () => {
    const before = clock();
    wall += HOUR;
    pass(10);
    expect(clock() - before).toBe(HOUR + 10);
    pass(10);
    expect(clock() - before).toBe(HOUR + 20);
  });

  it('goes on where the wall clock is set back', () => {
    const before = clock();
    wall -= HOUR;
    pass(10);
    expect(clock() - before).toBe(10);
    pass(10);
    expect(clock() - before).toBe(20);
  });
});
