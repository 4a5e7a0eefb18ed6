import { randomBytes } from 'node:crypto';
import { expect, test } from '@jest/globals';
import { openFinder } from './find-any.js';

const first = randomBytes(32);
const second = randomBytes(32);
const find = openFinder([
  ['first', first],
  ['its beginning', first.subarray(0, 16)],
  ['second', second],
]);

test.each([0, 1, 2, 3, 7])('finds every needle, with %i bytes before and after', (around) => {
  const room = Buffer.alloc(around);
  expect([...find(Buffer.concat([room, first, second, room]))].sort()).toEqual([
    'first',
    'its beginning',
    'second',
  ]);
});

test('a needle that is cut off is not there', () => {
  expect([...find(Buffer.concat([second, first.subarray(0, 31)]))].sort()).toEqual([
    'its beginning',
    'second',
  ]);
  expect(find(first.subarray(0, 15)).size).toBe(0);
  expect(find(Buffer.alloc(0)).size).toBe(0);
});

test('overlapping needles are all found', () => {
  const bytes = Buffer.from('abcabcabd');
  const overlapping = openFinder([
    ['one', Buffer.from('abcabd')],
    ['two', Buffer.from('cabca')],
    ['three', Buffer.from('bcab')],
  ]);
  expect([...overlapping(bytes)].sort()).toEqual(['one', 'three', 'two']);
});

test('what is too short to be looked for is an error', () => {
  expect(() => openFinder([['short', Buffer.from('abc')]])).toThrow('too short');
});
