import { expect, it } from '@jest/globals';
import { durationWords } from './duration-words.js';

it.each([
  [0, '0 ms'],
  [12.34, '12.3 ms'],
  [999, '999 ms'],
  [1_000, '1 s'],
  [4_240, '4.2 s'],
  [60_000, '1 min'],
  [3_599_999, '59 min'],
  [3_600_000, '1 h'],
  [90_000_000, '1 d'],
])('%d ms are %s', (ms, words) => {
  expect(durationWords(ms)).toBe(words);
});
