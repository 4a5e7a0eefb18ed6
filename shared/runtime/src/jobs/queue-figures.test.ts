import { describe, expect, it } from '@jest/globals';
import { createQueueFigures } from './queue-figures.js';

const MINUTE_MS = 60_000;

function open() {
  const clock = { now: 10 * MINUTE_MS };
  const redis = { sent: [] as unknown[][][], isAway: false };
  const fake = {
    multi: (commands: unknown[][]) => ({
      async exec() {
        if (redis.isAway) throw new Error('Redis is away');
        redis.sent.push(commands);
      },
    }),
  };
  const figures = createQueueFigures(fake, 'q', () => clock.now);
  figures.stop();
  const last = (...start: string[]) =>
    redis.sent.at(-1)?.find((command) => start.every((part, at) => command[at] === part));
  return { clock, redis, figures, last };
}

const done = async () => undefined;
const failing = () => Promise.reject(new Error('x'));

describe('the figures of a queue', () => {
  it('cost nothing while nothing happens', async () => {
    const { figures, redis } = open();
    for (let round = 0; round < 5; round++) await figures.write();
    expect(redis.sent).toHaveLength(1);
  });

  it('say what is under way, for as long as somebody says it', async () => {
    const { figures, redis, last } = open();
    let finish = () => undefined as void;
    const work = figures.follow(() => new Promise<void>((resolve) => (finish = resolve)));
    await figures.write();
    expect(last('rpush', 'bull:q:active')).toEqual(['rpush', 'bull:q:active', 'sign-1']);
    expect(last('expire', 'bull:q:active')).toBeDefined();
    finish();
    await work;
    await figures.write();
    expect(last('del', 'bull:q:active')).toBeDefined();
    expect(last('rpush', 'bull:q:active')).toBeUndefined();
    const { length } = redis.sent;
    await figures.write();
    expect(redis.sent).toHaveLength(length);
  });

  it('count what was done and what failed, by the minute, newest first', async () => {
    const { figures, clock, last } = open();
    for (const work of [done, done, done]) await figures.follow(work);
    await expect(figures.follow(failing)).rejects.toThrow('x');
    clock.now += 3 * MINUTE_MS;
    await figures.follow(done);
    await figures.write();
    expect(last('hset', 'bull:q:metrics:completed')?.[2]).toMatchObject({ count: 4, prevCount: 3 });
    expect(last('rpush', 'bull:q:metrics:completed:data')?.slice(2)).toEqual([0, 0, 3]);
    expect(last('hset', 'bull:q:metrics:failed')?.[2]).toMatchObject({ count: 1 });
  });

  it('are kept for a day', async () => {
    const { figures, clock, last } = open();
    for (const days of [1, 2, 3]) {
      await figures.follow(done);
      clock.now += days * 1_440 * MINUTE_MS;
    }
    await figures.follow(done);
    await figures.write();
    expect(last('rpush', 'bull:q:metrics:completed:data')?.slice(2)).toHaveLength(1_440);
  });

  it('are written whole once Redis is back, and disturb no work meanwhile', async () => {
    const { figures, redis, last } = open();
    redis.isAway = true;
    await figures.follow(done);
    await figures.write();
    redis.isAway = false;
    await figures.write();
    expect(last('hset', 'bull:q:metrics:completed')?.[2]).toMatchObject({ count: 1 });
  });
});
