import { afterEach, beforeEach, describe, expect, it, jest } from '@jest/globals';
import type { KekCheck } from '../threads/thread-tasks.js';
import { openKekWatch, type KekWatch } from './kek-watch.js';

const LOOK_MS = 300_000;
const answers: (KekCheck | Error)[] = [];
const logged: object[] = [];
let asked = 0;
let watch: KekWatch;

beforeEach(() => {
  jest.useFakeTimers();
  answers.length = 0;
  logged.length = 0;
  asked = 0;
  const note = (line: object) => void logged.push(line);
  const checkKek = async () => {
    asked++;
    const answer = answers.shift() ?? { ok: true as const };
    if (answer instanceof Error) throw answer;
    return answer;
  };
  watch = openKekWatch({ checkKek }, { info: note, error: note } as never);
});
afterEach(() => {
  watch.stop();
  jest.useRealTimers();
});

const look = (...next: (KekCheck | Error)[]) => {
  answers.push(...next);
  return jest.advanceTimersByTimeAsync(LOOK_MS * next.length);
};
const gone = { ok: false, reason: 'no answer', isFinal: false } as const;

describe('a KEK that does not open any more', () => {
  it('is told once, and once when it opens again', async () => {
    await look({ ok: true });
    expect(watch.isOpenable).toBe(true);
    await look(gone, gone);
    expect(watch.isOpenable).toBe(false);
    await look({ ok: true });
    expect(watch.isOpenable).toBe(true);
    expect(logged).toEqual([
      { event: 'kek_not_openable', reason: 'no answer' },
      { event: 'kek_openable' },
    ]);
  });

  it('is not tried again with a wrong PIN: a token locks itself', async () => {
    await look({ ok: false, reason: 'the PIN is wrong', isFinal: true });
    await jest.advanceTimersByTimeAsync(10 * LOOK_MS);
    expect({ asked, isOpenable: watch.isOpenable }).toEqual({ asked: 1, isOpenable: false });
  });

  it('is not to be told from a thread that has ended', async () => {
    await look(new Error('terminated'));
    expect({ isOpenable: watch.isOpenable, logged }).toEqual({ isOpenable: true, logged: [] });
  });
});
