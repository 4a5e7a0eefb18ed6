import { describe, expect, test } from '@jest/globals';
import { keepRunning } from './keep-running.js';
import type { VaultProcess } from './vault-process.js';

interface FakeProcess extends VaultProcess {
  end(code: number | string): void;
  readonly wasStopped: boolean;
}

function fakeProcess(pid: number): FakeProcess {
  let end!: (code: number | string) => void;
  const exited = new Promise<number | string>((resolve) => (end = resolve));
  let wasStopped = false;
  return {
    name: 'party_2-a',
    pid,
    port: undefined,
    hasExited: false,
    exited,
    end,
    get wasStopped() {
      return wasStopped;
    },
    output: () => '',
    kill: () => undefined,
    async stop() {
      wasStopped = true;
      end(0);
    },
  };
}

/** A program whose starts, clock and pauses the test decides. */
function setUp(starts: readonly (FakeProcess | Error)[]) {
  const stopping = new AbortController();
  const first = fakeProcess(100);
  const lines: string[] = [];
  const waits: number[] = [];
  let now = 0;
  let seen = () => {};
  let next = 0;
  const kept = keepRunning(
    first,
    async () => {
      const started = starts[next++];
      if (started === undefined) throw new Error('the test has no more processes');
      if (started instanceof Error) throw started;
      return started;
    },
    {
      stopping: stopping.signal,
      say(line) {
        lines.push(line);
        seen();
      },
      now: () => now,
      wait: async (delayMs) => void waits.push(delayMs),
    },
  );
  return {
    kept,
    first,
    stopping,
    lines,
    waits,
    starts: () => next,
    pass: (ms: number) => void (now += ms),
    /** Resolves once it has said so many lines. */
    said: (count: number) =>
      new Promise<void>((resolve) => {
        seen = () => lines.length >= count && resolve();
        seen();
      }),
  };
}

describe('a program that dies', () => {
  test('is started again, and each end and return is said in a line', async () => {
    const { kept, first, lines, waits, said } = setUp([fakeProcess(101)]);
    first.end('SIGKILL');
    await said(2);
    expect(lines).toEqual([
      'party_2-a (pid 100) ended (SIGKILL); starting it again in 0.25 s (attempt 1)',
      'party_2-a is back (pid 101)',
    ]);
    expect(waits).toEqual([250]);
    expect(kept.current.pid).toBe(101);
  });

  test('is tried again for as long as it does not come up, ever later', async () => {
    const failure = new Error('party_2-a ended (1) before it was ready:\nits last words');
    const { kept, first, lines, waits, said } = setUp([failure, failure, fakeProcess(103)]);
    first.end(2);
    await said(4);
    expect(lines).toEqual([
      'party_2-a (pid 100) ended (2); starting it again in 0.25 s (attempt 1)',
      'party_2-a ended (1) before it was ready; starting it again in 0.5 s (attempt 2)',
      'party_2-a ended (1) before it was ready; starting it again in 1 s (attempt 3)',
      'party_2-a is back (pid 103)',
    ]);
    expect(waits).toEqual([250, 500, 1_000]);
    expect(kept.current.pid).toBe(103);
  });

  test('waits longer when it soon dies again, and not when it had run well', async () => {
    const runs = [fakeProcess(101), fakeProcess(102), fakeProcess(103)];
    const { first, pass, waits, said } = setUp(runs);
    first.end(1);
    await said(2);
    pass(1_000);
    runs[0]!.end(1);
    await said(4);
    pass(60_000);
    runs[1]!.end(1);
    await said(6);
    expect(waits).toEqual([250, 500, 250]);
  });
});

describe('a program that is to stop', () => {
  test('is stopped and not started again', async () => {
    const { kept, first, stopping, lines, starts } = setUp([fakeProcess(101)]);
    stopping.abort();
    await kept.stopped();
    expect(first.wasStopped).toBe(true);
    expect([lines, starts()]).toEqual([[], 0]);
  });

  test('is stopped also when it is the one that came back', async () => {
    const second = fakeProcess(101);
    const { kept, first, stopping, said } = setUp([second]);
    first.end(1);
    await said(2);
    stopping.abort();
    await kept.stopped();
    expect(second.wasStopped).toBe(true);
  });

  test('is not started while it waits for its next attempt', async () => {
    const stopping = new AbortController();
    const first = fakeProcess(100);
    let starts = 0;
    const kept = keepRunning(
      first,
      async () => {
        starts += 1;
        return fakeProcess(101);
      },
      { stopping: stopping.signal, say: () => stopping.abort() },
    );
    first.end(1);
    await kept.stopped();
    expect(starts).toBe(0);
  });
});
