import { describe, expect, test } from '@jest/globals';
import { evenSchedule, runOpenLoop, type Clock, type Sender } from './open-loop.js';
import { percentilesOf } from './percentiles.js';

/** Time that goes on by a millisecond a tick, once what the tick began is done. */
function virtualTime(): Clock & { after(ms: number): Promise<void> } {
  let now = 0;
  const timers: { at: number; run(): void }[] = [];
  return {
    now: () => now,
    after: (ms) => new Promise((run) => timers.push({ at: now + ms, run })),
    onTick(callback) {
      let isStopped = false;
      const tick = () => {
        callback();
        if (isStopped) return;
        now += 1;
        for (const due of timers.filter(({ at }) => at <= now)) due.run();
        timers.splice(0, timers.length, ...timers.filter(({ at }) => at > now));
        setImmediate(tick);
      };
      setImmediate(tick);
      return () => (isStopped = true);
    },
  };
}

/** Answers after 1 ms, but stands still from 100 to 600 ms. */
function stallingServer(time: ReturnType<typeof virtualTime>): Sender {
  return {
    async ask() {
      const stall = time.now() >= 100 && time.now() < 600 ? 600 - time.now() : 0;
      await time.after(stall + 1);
      return 200;
    },
  };
}

describe('an open loop', () => {
  test('is due evenly from the start on', () => {
    const { total, dueAt } = evenSchedule(40, 2.5);
    expect(total).toBe(100);
    expect([0, 1, 40].map(dueAt)).toEqual([0, 25, 1_000]);
  });

  test('counts from when a request was due: a stall is felt by all who would have asked meanwhile', async () => {
    const time = virtualTime();
    const answers = await runOpenLoop(evenSchedule(100, 1), [stallingServer(time)], time, 1_000);
    const { p50Ms, p90Ms, maxMs } = percentilesOf(answers.map(({ ms }) => ms));
    expect(answers).toHaveLength(100);
    // half of the second is the stall: whoever was due in it waits for its end, and then for the others'
    expect(maxMs).toBe(501);
    expect(p90Ms).toBeGreaterThan(400);
    expect(p50Ms).toBeGreaterThan(40);
    expect(answers.filter(({ ms }) => ms > 10).length).toBeGreaterThan(50);
  });

  test('counts what is never answered, with as long as it was waited for', async () => {
    const time = virtualTime();
    const never: Sender = { ask: () => new Promise(() => undefined) };
    const answers = await runOpenLoop(evenSchedule(10, 1), [never, never], time, 500);
    expect(answers.map(({ status }) => status)).toEqual(Array(10).fill('unanswered'));
    expect(answers.map(({ ms }) => ms)).toEqual([1_500, 1_400, ...range(1_300, 600)]);
  });

  test('goes on without a connection that broke', async () => {
    const time = virtualTime();
    const broken: Sender = { ask: async () => time.after(1).then(() => 0) };
    const sound: Sender = { ask: async () => time.after(1).then(() => 200) };
    const answers = await runOpenLoop(evenSchedule(100, 0.1), [sound, broken], time, 100);
    const statuses = answers.map(({ status }) => status);
    expect(statuses.filter((status) => status === 0)).toHaveLength(1);
    expect(statuses.filter((status) => status === 200)).toHaveLength(9);
  });
});

function range(from: number, to: number): number[] {
  return Array.from({ length: (from - to) / 100 + 1 }, (_, index) => from - index * 100);
}
