import { expect, it } from '@jest/globals';
import { fineNow, openStages } from './stage-clock.js';

function clockOf(...times: number[]) {
  return () => times.shift()!;
}

it('a stage begins where the one before it ended', () => {
  const clock = openStages(clockOf(10, 12.5, 20));
  clock.end('auth');
  clock.end('sign');
  expect(clock.startedAt).toBe(10);
  expect(clock.stages).toEqual([
    { stage: 'auth', from: 10, until: 12.5 },
    { stage: 'sign', from: 12.5, until: 20 },
  ]);
});

it('no stage ends before it began, also when the clock is set back', () => {
  const clock = openStages(clockOf(10, 5, 12));
  clock.end('auth');
  clock.end('sign');
  expect(clock.stages.map(({ from, until }) => until - from)).toEqual([0, 2]);
});

it('a request that begins a stage again and again is not noted for ever', () => {
  const clock = openStages();
  for (let times = 0; times < 1_000; times += 1) clock.end('queue');
  expect(clock.stages.length).toBe(32);
});

it('the fine clock is the wall clock', () => {
  for (let times = 0; times < 100; times += 1) {
    const [before, fine, after] = [Date.now(), fineNow(), Date.now()];
    expect(fine).toBeGreaterThanOrEqual(before);
    expect(fine).toBeLessThanOrEqual(after + 1);
  }
});
