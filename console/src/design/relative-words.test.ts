import { expect, it } from '@jest/globals';
import { relativeWords } from './relative-words.js';

const NOW = Date.UTC(2026, 10, 22, 12);
const MINUTE = 60_000;

it.each([
  [0, 'now'],
  [9_999, 'now'],
  [-9_999, 'now'],
  [-10_000, '10 seconds ago'],
  [-MINUTE, '1 minute ago'],
  [-59 * MINUTE - 59_999, '59 minutes ago'],
  [-60 * MINUTE, '1 hour ago'],
  [23 * 60 * MINUTE, 'in 23 hours'],
  [-24 * 60 * MINUTE, 'yesterday'],
  [24 * 60 * MINUTE, 'tomorrow'],
  [-7 * 24 * 60 * MINUTE + 1, '6 days ago'],
  [-7 * 24 * 60 * MINUTE, undefined],
])('%i ms from now is %s', (away, words) => {
  expect(relativeWords(NOW + away, NOW)).toBe(words);
});
