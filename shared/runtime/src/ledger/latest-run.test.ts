import { describe, expect, it } from '@jest/globals';
import { createLatestRun } from './latest-run.js';

/** Runs whose end the test decides. */
function heldRuns() {
  const ends: { resolve(): void; reject(error: Error): void }[] = [];
  const runs = createLatestRun(
    () => new Promise<void>((resolve, reject) => void ends.push({ resolve, reject })),
  );
  return { runs, ends };
}

const turn = () => new Promise((resolve) => setImmediate(resolve));

describe('runs of which the latest counts', () => {
  it('begin at once when none is under way', async () => {
    const { runs, ends } = heldRuns();
    const first = runs.run();
    expect(ends).toHaveLength(1);
    ends[0]!.resolve();
    await first;
    const second = runs.run();
    expect(ends).toHaveLength(2);
    ends[1]!.resolve();
    await second;
  });

  it('give whoever calls during one a run that began after the call, the same to all', async () => {
    const { runs, ends } = heldRuns();
    const first = runs.run();
    let isLateDone = false;
    const late = Promise.all([runs.run(), runs.run()]).then(() => (isLateDone = true));
    await turn();
    expect(ends).toHaveLength(1);
    ends[0]!.resolve();
    await first;
    await turn();
    expect([ends.length, isLateDone]).toEqual([2, false]);
    ends[1]!.resolve();
    await late;
    await turn();
    expect(ends).toHaveLength(2);
  });

  it('go on after one that failed, which rejects for those alone who waited for it', async () => {
    const { runs, ends } = heldRuns();
    const failed = runs.run();
    const late = runs.run();
    ends[0]!.reject(new Error('no answer'));
    await expect(failed).rejects.toThrow('no answer');
    await turn();
    ends[1]!.resolve();
    await expect(late).resolves.toBeUndefined();
  });

  it('are settled when none is under way, whether it failed or not', async () => {
    const { runs, ends } = heldRuns();
    await runs.settle();
    let isSettled = false;
    const failed = runs.run();
    const settled = runs.settle().then(() => (isSettled = true));
    await turn();
    expect(isSettled).toBe(false);
    ends[0]!.reject(new Error('no answer'));
    await settled;
    await expect(failed).rejects.toThrow('no answer');
  });
});
