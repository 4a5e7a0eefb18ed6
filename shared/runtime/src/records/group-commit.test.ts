import { describe, expect, it } from '@jest/globals';
import { createGroupCommit } from './group-commit.js';

/** A commit whose end the test decides. */
function heldCommit() {
  const groups: (readonly number[])[] = [];
  const ends: { resolve(): void; reject(error: Error): void }[] = [];
  const commit = (items: readonly number[]): Promise<readonly number[]> => {
    groups.push(items);
    return new Promise((resolve, reject) => {
      ends.push({ resolve: () => resolve(items.map((item) => item * 10)), reject });
    });
  };
  return { groups, ends, commit };
}

const turn = () => new Promise((resolve) => setImmediate(resolve));

describe('group commit', () => {
  it('commits at once when idle, and all of one turn of the event loop together', async () => {
    const { groups, ends, commit } = heldCommit();
    const { add } = createGroupCommit(commit);
    const results = Promise.all([add(1), add(2), add(3)]);
    await turn();
    expect(groups).toEqual([[1, 2, 3]]);
    ends[0]!.resolve();
    expect(await results).toEqual([10, 20, 30]);
  });

  it('gathers what comes during a commit into the next, and never runs two', async () => {
    const { groups, ends, commit } = heldCommit();
    const { add } = createGroupCommit(commit);
    const first = add(1);
    await turn();
    const rest = Promise.all([add(2), add(3)]);
    await turn();
    expect(groups).toEqual([[1]]);
    ends[0]!.resolve();
    expect(await first).toBe(10);
    await turn();
    expect(groups).toEqual([[1], [2, 3]]);
    ends[1]!.resolve();
    expect(await rest).toEqual([20, 30]);
  });

  it('splits more than the maximum into groups, in order', async () => {
    const { groups, ends, commit } = heldCommit();
    const { add, drain } = createGroupCommit(commit, 2);
    const results = Promise.all([1, 2, 3, 4, 5].map((item) => add(item)));
    for (let group = 0; group < 3; group++) {
      await turn();
      ends[group]!.resolve();
    }
    expect(await results).toEqual([10, 20, 30, 40, 50]);
    expect(groups).toEqual([[1, 2], [3, 4], [5]]);
    await drain();
  });

  it('rejects every item of a group that failed, and goes on with the next', async () => {
    const { ends, commit } = heldCommit();
    const { add } = createGroupCommit(commit);
    const failed = Promise.allSettled([add(1), add(2)]);
    await turn();
    const next = add(3);
    ends[0]!.reject(new Error('disk full'));
    expect((await failed).map(({ status }) => status)).toEqual(['rejected', 'rejected']);
    await turn();
    ends[1]!.resolve();
    expect(await next).toBe(30);
  });

  it('works again after it was idle', async () => {
    const { add, drain } = createGroupCommit(async (items: readonly number[]) => items);
    expect(await add(1)).toBe(1);
    await drain();
    expect(await add(2)).toBe(2);
  });

  it('drains only when nothing is waiting or under way', async () => {
    const { ends, commit } = heldCommit();
    const { add, drain } = createGroupCommit(commit);
    await drain();
    const first = add(1);
    await turn();
    const second = add(2);
    let isDrained = false;
    const drained = drain().then(() => (isDrained = true));
    ends[0]!.resolve();
    await first;
    await turn();
    expect(isDrained).toBe(false);
    ends[1]!.resolve();
    await Promise.all([second, drained]);
  });
});
