import { describe, expect, it } from '@jest/globals';
import { StartPace } from './start-pace.js';

describe('runs that another party calls', () => {
  it('are joined four times in a second for a key, however often they are called', () => {
    const pace = new StartPace();
    const joined: number[] = [];
    for (let now = 0; now < 3_000; now += 10) {
      if (!pace.begin('key', now)) continue;
      joined.push(now);
      pace.end();
    }
    expect(joined).toEqual([0, 1_000, 2_000].flatMap((at) => [at, at + 10, at + 20, at + 30]));
    expect(pace.begin('another', 2_999)).toBe(true);
  });

  it('are no more than 64 at a time, of whatever keys', () => {
    const pace = new StartPace();
    const begun = Array.from({ length: 1_000 }, (_, index) => pace.begin(`key ${index}`, index));
    expect(begun.filter(Boolean)).toHaveLength(64);
    pace.end();
    expect(pace.begin('key', 2_000)).toBe(true);
    expect(pace.begin('one more', 2_000)).toBe(false);
  });
});
