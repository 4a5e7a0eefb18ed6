import { expect, test } from '@jest/globals';
import { createFairShare } from './fair-share.js';

/** Steps of these lengths (ms), and how long the work rested behind each. */
async function restsBehind(steps: readonly number[]): Promise<number[]> {
  let now = 100;
  let rested = 0;
  const share = createFairShare({
    now: () => now,
    async sleep(ms) {
      rested = ms;
      now += ms;
    },
  });
  const rests: number[] = [];
  for (const step of steps) {
    rested = 0;
    now += step;
    await share();
    rests.push(rested);
  }
  return rests;
}

test('long work rests behind each turn', async () => {
  expect(await restsBehind([1, 1, 1, 1, 1])).toEqual([0, 0, 0, 4, 0]);
  expect(await restsBehind([3, 3, 3, 3])).toEqual([0, 4, 0, 4]);
  expect(await restsBehind([50, 1])).toEqual([4, 0]);
});
