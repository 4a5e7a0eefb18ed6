import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it, jest } from '@jest/globals';
import { AHEAD_MS, createRequestMemory } from './request-memory.js';
import { openTakenUntil, untilTaken } from './taken-until.js';

const NOW = Date.UTC(2026, 10, 22);
const QUIET = { error: () => undefined };

let folder: string;
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'countersign-taken-'));
});
afterAll(() => rmSync(folder, { recursive: true }));

/** One start of a keeper, and what it thinks of a request. */
async function start(name: string, clock: { now: number }) {
  const taken = await openTakenUntil(join(folder, name), () => clock.now, QUIET);
  const memory = createRequestMemory({ takenBefore: taken.before, takesUntil: taken.until });
  const refuses = (openSince: number) =>
    memory.refuse({ requestId: 'request', openSince }, clock.now);
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

  it('that a killed process left stops its successor from what that may have taken, and no more', async () => {
    const clock = { now: NOW };
    const killed = await start('killed', clock);
    clock.now += 5_000;
    const { taken, refuses } = await start('killed', clock);
    expect(taken.before).toBe(NOW + 2_000);
    expect(refuses(NOW + 2_000 + AHEAD_MS - 1)).toMatch('may know it');
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

  it('is no file that says something else', async () => {
    writeFileSync(join(folder, 'other'), 'soon\n');
    await expect(start('other', { now: NOW })).rejects.toThrow('no mark of requests');
  });
});

describe('a process that was started again', () => {
  /** How long it waits before it shows itself, ms. */
  async function waited(takesFrom: number): Promise<number> {
    jest.useFakeTimers({ now: NOW });
    try {
      const shown = untilTaken(takesFrom, Date.now);
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
  });

  it('waits no longer than for a mark that a right clock left', async () => {
    expect(await waited(NOW + 3_600_000)).toBe(2_000 + AHEAD_MS);
  });
});
