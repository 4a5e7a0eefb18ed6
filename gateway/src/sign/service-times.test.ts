import { beforeEach, describe, expect, it } from '@jest/globals';
import {
  attemptMs,
  createServiceTimes,
  eachMs,
  learnTime,
  type ServiceTimes,
} from './service-times.js';

const NOW = 1_000_000;
let times: ServiceTimes;
beforeEach(() => {
  times = createServiceTimes();
});

function learn(parties: readonly [1 | 2 | 3, 1 | 2 | 3], tookMs: number, size = 10, now = NOW) {
  learnTime(times, { parties, size, tookMs }, now);
}

describe('how long a batch is waited for', () => {
  it('is a second and a half while nothing is known, and where all is quick', () => {
    expect(attemptMs(times, 64, NOW)).toBe(1_500);
    learn([1, 2], 20);
    expect(attemptMs(times, 10, NOW)).toBe(1_500);
  });

  it('follows what batches take, larger ones for longer, and has an end', () => {
    learn([1, 2], 400);
    expect(attemptMs(times, 5, NOW)).toBe(2_400);
    expect(attemptMs(times, 20, NOW)).toBe(4_800);
    expect(attemptMs(times, 64, NOW)).toBe(8_000);
  });

  it('rises at once where all pairs are slow, and falls little by little', () => {
    learn([1, 2], 300);
    learn([2, 1], 900);
    expect(attemptMs(times, 10, NOW)).toBe(3_600);
    learn([1, 2], 300);
    expect(attemptMs(times, 10, NOW)).toBe(3_420);
  });

  it('is not what a slow party makes of it, nor what was true half a minute ago', () => {
    learn([1, 2], 300);
    for (let times = 0; times < 20; times++) {
      learn([1, 3], 5_000);
      learn([3, 2], 5_000);
    }
    expect(attemptMs(times, 10, NOW)).toBe(1_800);
    learn([3, 2], 5_000, 10, NOW + 30_001);
    expect(attemptMs(times, 10, NOW + 30_001)).toBe(8_000);
  });
});

it('what one request takes is the quickest pair’s word', () => {
  expect(eachMs(times, NOW)).toBeUndefined();
  learn([1, 2], 300);
  learn([1, 3], 100);
  expect(eachMs(times, NOW)).toBe(10);
});
