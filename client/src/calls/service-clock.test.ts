import { expect, test } from '@jest/globals';
import { createServiceClock } from './service-clock.js';

const NOW = Date.UTC(2026, 10, 22);
const HOUR_MS = 3_600_000;

test.each([-HOUR_MS, -300_000, 300_000, HOUR_MS - 500])(
  'a clock that is %i ms off is corrected',
  (offMs) => {
    const clock = createServiceClock(() => NOW);
    expect(clock.correct(NOW + offMs)).toBe(true);
    // the middle of the second that was told
    expect(clock.now()).toBe(NOW + offMs + 500);
  },
);

test('what is told of it within a minute changes nothing', () => {
  const clock = createServiceClock(() => NOW);
  expect(clock.correct(NOW + 59_000)).toBe(true);
  expect(clock.now()).toBe(NOW);
});

test('more than an hour is not believed, neither at once nor step by step', () => {
  const clock = createServiceClock(() => NOW);
  expect(clock.correct(NOW + HOUR_MS)).toBe(false);
  expect(clock.correct(NOW - HOUR_MS - 1_000)).toBe(false);
  expect(clock.now()).toBe(NOW);
  for (let step = 1; step <= 10; step += 1) clock.correct(clock.now() + 600_000);
  expect(clock.now()).toBeLessThanOrEqual(NOW + HOUR_MS);
});
