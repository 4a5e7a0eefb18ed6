import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { afterAll, beforeAll, beforeEach, describe, expect, it, jest } from '@jest/globals';
import { TOLD_AFTER_MS } from '@countersign/runtime/process/trouble.js';
import { AHEAD_MS, createRequestMemory } from './request-memory.js';
import { openTakenUntil, untilTaken } from './taken-until.js';

const NOW = Date.UTC(2026, 10, 22);

let folder: string;
let told: string[];
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'countersign-taken-'));
});
beforeEach(() => {
  told = [];
});
afterAll(() => rmSync(folder, { recursive: true }));

/** One start of a primary replica, and what it thinks of a request. */
async function start(
  name: string,
  clock: { now: number; elapsed?: number },
  { tryAgainMs = 1_000, lookEveryMs = 60_000, isRestarted = false } = {},
) {
  const taken = await openTakenUntil(join(folder, name), {
    now: () => clock.now,
    elapsed: () => clock.elapsed ?? clock.now,
    onTrouble: (reason) => told.push(reason),
    ...{ isRestarted, tryAgainMs, lookEveryMs },
  });
  const memory = createRequestMemory({
    takenBefore: taken.before,
    forgottenBefore: taken.forgotten,
    takesUntil: taken.until,
    durable: { add: () => Promise.resolve() },
  });
  const refuses = (openSince: number, madeAt = openSince) =>
    memory.refuse({ requestId: 'request', openSince, madeAt }, clock.now);
  return { taken, refuses, onDisk: () => Number(readFileSync(join(folder, name), 'utf8')) };
}

describe('the mark of requests', () => {
  it('is on the disk, ahead of the clock, before anything is taken', async () => {
    const clock = { now: NOW };
    const { taken, refuses, onDisk } = await start('first', clock);
    expect(taken.before).toBe(0);
    expect(onDisk()).toBe(NOW + 2_000);
    expect(refuses(NOW)).toBeUndefined();
    clock.now = NOW + 2_000; // as if it could not be written any more
    expect(refuses(clock.now)).toMatch('mark');
    await taken.stop();
  });

  it('is renewed for whoever takes a request, who waits for it where little is left, and else now and then', async () => {
    const clock = { now: NOW };
    const { taken, onDisk } = await start('renewed', clock);
    clock.now = NOW + 1_000;
    await taken.ready();
    expect(onDisk()).toBe(NOW + 2_000);
    clock.now = NOW + 1_001; // more than half a second is left: it is written beside the request
    await taken.ready();
    expect(taken.until()).toBe(NOW + 2_000);
    while (onDisk() === NOW + 2_000) await setTimeout(5);
    expect(onDisk()).toBe(NOW + 3_001);
    clock.now = NOW + 2_502;
    await taken.ready();
    expect([onDisk(), taken.until()]).toEqual([NOW + 4_502, NOW + 4_502]);
    clock.now = NOW + 60_000;
    await taken.stop(); // nothing was taken since
    expect(onDisk()).toBe(NOW + 4_502);
    await taken.ready();
    expect(onDisk()).toBe(NOW + 4_502);
  });

  it('that a killed process left stops its successor from what that may have taken, and no more', async () => {
    const clock = { now: NOW };
    const killed = await start('killed', clock);
    clock.now += 5_000;
    const { taken, refuses } = await start('killed', clock);
    expect(taken.before).toBe(NOW + 2_000);
    expect(refuses(NOW + 2_000 + AHEAD_MS - 1)).toMatch('may have signed it');
    expect(refuses(NOW + 2_000 + AHEAD_MS)).toBeUndefined();
    await taken.stop();
    await killed.taken.stop();
  });

  it('is the moment at which a process stopped in order', async () => {
    const clock = { now: NOW };
    const { taken, refuses, onDisk } = await start('stopped', clock);
    clock.now += 1_000;
    await taken.stop();
    expect(onDisk()).toBe(NOW + 1_000);
    expect(refuses(NOW + 1_000)).toMatch('mark');
  });

  it('never goes back, whatever the clock does', async () => {
    const first = await start('back', { now: NOW });
    const { taken, onDisk } = await start('back', { now: NOW - 60_000 });
    expect(onDisk()).toBe(NOW + 2_000);
    await taken.stop();
    expect(onDisk()).toBe(NOW + 2_000);
    await first.taken.stop();
  });

  it('never goes back, though the clock is set back while the process runs', async () => {
    const clock = { now: NOW };
    const { taken, refuses, onDisk } = await start('set back', clock, { lookEveryMs: 10 });
    await taken.ready();
    expect(refuses(NOW)).toBeUndefined();
    clock.now -= 3_600_000;
    await setTimeout(50);
    expect([onDisk(), taken.until()]).toEqual([NOW + 2_000, NOW + 2_000]);
    await taken.ready();
    expect(refuses(clock.now)).toBeUndefined();
    await taken.stop();
    expect(onDisk()).toBe(NOW + 2_000);
    const next = await start('set back', clock);
    expect(next.refuses(NOW)).toMatch('may have signed it');
    await next.taken.stop();
  });

  it('is no file that says something else', async () => {
    writeFileSync(join(folder, 'other'), 'soon\n');
    await expect(start('other', { now: NOW })).rejects.toThrow('no mark of requests');
  });
});

describe('a folder whose mark is lost', () => {
  const WINDOW_MS = 5 * 60_000;

  it('takes nothing that a caller can have asked for by then, whose clock may be five minutes ahead', async () => {
    const clock = { now: NOW };
    const { taken, refuses } = await start('lost', clock, { isRestarted: true });
    expect(refuses(NOW)).toMatch('may have signed it');
    expect(refuses(NOW + WINDOW_MS + AHEAD_MS - 1)).toMatch('may have signed it');
    expect(taken.before).toBe(NOW + WINDOW_MS);
    await taken.stop();
  });

  it('never takes what was made before and was only approved later: its message was written down there', async () => {
    const clock = { now: NOW };
    const lost = await start('approved', clock, { isRestarted: true });
    await lost.taken.stop();
    clock.now += 3_600_000;
    const { taken, refuses } = await start('approved', clock, { isRestarted: true });
    expect(refuses(clock.now, NOW)).toMatch('may have signed it');
    expect(refuses(clock.now, NOW + WINDOW_MS + AHEAD_MS)).toBeUndefined();
    await taken.stop();
  });
});

describe('a disk that does not take the mark', () => {
  /** What was not written is tried again. */
  async function until(holds: () => boolean): Promise<void> {
    while (!holds()) await setTimeout(5);
  }

  it('is noticed though nobody asks for anything', async () => {
    const { taken } = await start('unasked', { now: NOW }, { lookEveryMs: 10 });
    mkdirSync(join(folder, 'unasked.new'));
    await until(() => taken.trouble?.includes('EISDIR') === true);
    rmSync(join(folder, 'unasked.new'), { recursive: true });
    await until(() => taken.trouble === undefined);
    await taken.stop();
  });

  it('has the party take nothing, is told when that lasts, and is tried until it does', async () => {
    const clock = { now: NOW };
    const { taken, refuses } = await start('full', clock, { tryAgainMs: 10 });
    // where the text is written first there is a folder: nobody can write that
    mkdirSync(join(folder, 'full.new'));
    clock.now = NOW + 1_600;
    await taken.ready();
    await until(() => taken.trouble?.includes('EISDIR') === true);
    clock.now = NOW + 2_000;
    expect(refuses(clock.now)).toMatch('mark');
    expect(told).toEqual([]);
    clock.now = NOW + 1_600 + TOLD_AFTER_MS;
    await until(() => told.length > 0);
    rmSync(join(folder, 'full.new'), { recursive: true });
    await until(() => taken.trouble === undefined && refuses(clock.now) === undefined);
    expect(told).toHaveLength(1);
    await taken.stop();
  });
});

it('trouble with the mark is told when it lasts, although the clock is set back meanwhile', async () => {
  const clock = { now: NOW, elapsed: 0 };
  const { taken } = await start('told', clock, { tryAgainMs: 10, lookEveryMs: 10 });
  mkdirSync(join(folder, 'told.new'));
  while (taken.trouble === undefined) await setTimeout(5);
  clock.now -= 3_600_000;
  clock.elapsed += TOLD_AFTER_MS - 1;
  await setTimeout(50);
  expect(told).toEqual([]);
  clock.elapsed += 1;
  while (told.length === 0) await setTimeout(5);
  expect(told).toHaveLength(1);
  rmSync(join(folder, 'told.new'), { recursive: true });
  await taken.stop();
});

describe('a process that was started again', () => {
  /** How long it waits before it shows itself, ms. */
  async function waited(takesFrom: number): Promise<number> {
    jest.useFakeTimers({ now: NOW });
    try {
      const shown = untilTaken(takesFrom, Date.now, (ms) => told.push(`${ms}`));
      await jest.runAllTimersAsync();
      await shown;
      return Date.now() - NOW;
    } finally {
      jest.useRealTimers();
    }
  }

  it('waits until it takes what it is asked for now', async () => {
    const { takesFrom } = createRequestMemory({ takenBefore: NOW + 1_200 });
    expect(await waited(takesFrom)).toBe(1_200 + AHEAD_MS);
    expect(await waited(NOW)).toBe(0);
    // its operator reads how long, and nothing where it does not wait
    expect(told).toEqual([`${1_200 + AHEAD_MS}`]);
  });

  it('waits no longer than for a mark that a right clock left', async () => {
    expect(await waited(NOW + 3_600_000)).toBe(5 * 60_000 + AHEAD_MS);
  });
});
