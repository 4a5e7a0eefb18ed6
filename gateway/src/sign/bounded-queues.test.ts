import { afterEach, beforeEach, describe, expect, it, jest } from '@jest/globals';
import { createBoundedQueues, type BoundedQueues } from './bounded-queues.js';

interface FakeQueue {
  jobs: number[];
  isClosed: boolean;
}

let opened: Map<string, FakeQueue>;
let queues: BoundedQueues;
let isAway: boolean;

beforeEach(() => {
  jest.useFakeTimers();
  opened = new Map();
  isAway = false;
  queues = createBoundedQueues((name) => {
    const fake: FakeQueue = { jobs: [], isClosed: false };
    opened.set(name, fake);
    return {
      add: async () => void fake.jobs.push(Date.now()),
      async countWaiting() {
        if (isAway) throw new Error('Redis is away');
        return fake.jobs.length;
      },
      findOldest: async () => fake.jobs[0],
      async dropOlderThan(ms) {
        fake.jobs = fake.jobs.filter((at) => Date.now() - at <= ms);
      },
      close: async () => void (fake.isClosed = true),
    };
  }, Date.now);
});
afterEach(async () => {
  await queues.close();
  jest.useRealTimers();
});

const advance = (ms: number) => jest.advanceTimersByTimeAsync(ms);
const jobsOf = (name: string) => opened.get(name)!.jobs;

/** How many of so many jobs were taken. */
async function fill(name: string, count: number): Promise<number> {
  const adds = Array.from({ length: count }, () => queues.add(name, 'job'));
  const results = await Promise.allSettled(adds);
  return results.filter(({ status }) => status === 'fulfilled').length;
}

describe('a queue that nobody reads', () => {
  it('takes no more once 256 jobs wait in it, and others go on', async () => {
    await fill('dead', 256);
    await advance(500);
    expect(await fill('dead', 1_000)).toBe(0);
    expect(await fill('alive', 10)).toBe(10);
    expect(jobsOf('dead')).toHaveLength(256);
    await expect(queues.add('dead', 'job')).rejects.toThrow('nobody reads it');
  });

  it('loses what waits longer than a request lives, and takes jobs again', async () => {
    await fill('dead', 256);
    await advance(29_500);
    expect(jobsOf('dead')).toHaveLength(256);
    await advance(1_500);
    expect(jobsOf('dead')).toHaveLength(0);
    expect(await fill('dead', 3)).toBe(3);
  });

  it('is forgotten once it is empty and was not used for a minute', async () => {
    await fill('dead', 3);
    await advance(60_000);
    expect(opened.get('dead')).toMatchObject({ jobs: [], isClosed: false });
    await advance(1_000);
    expect(opened.get('dead')).toMatchObject({ jobs: [], isClosed: true });
  });
});

it('a store that is away is asked again', async () => {
  await fill('dead', 300);
  isAway = true;
  await advance(5_000);
  expect(await fill('dead', 1)).toBe(1);
  isAway = false;
  await advance(500);
  expect(await fill('dead', 1)).toBe(0);
});
