import { expect, it } from '@jest/globals';
import { BoundedMap, createOnce } from './bounded-map.js';

it('keeps those that were put last, and gives the oldest away', () => {
  const dropped: number[] = [];
  const map = new BoundedMap<string, number>(2, (value) => dropped.push(value));
  map.put('a', 1);
  map.put('b', 2);
  map.put('a', 3);
  map.put('c', 4);
  expect(dropped).toEqual([2]);
  expect([...map.values()]).toEqual([3, 4]);
  expect([map.has('b'), map.get('a'), map.size, map.isFull]).toEqual([false, 3, 2, true]);
});

it('gives everything away when it is cleared, and nothing that was deleted', () => {
  const dropped: number[] = [];
  const map = new BoundedMap<string, number>(2, (value) => dropped.push(value));
  map.put('a', 1);
  map.put('b', 2);
  expect([map.delete('a'), map.delete('a')]).toEqual([true, false]);
  map.clear();
  expect([dropped, map.size]).toEqual([[2], 0]);
});

it('says once that a name is new, until as many others have come as it remembers', () => {
  const isNew = createOnce(2);
  expect(['a', 'a', 'b', 'c', 'a'].map(isNew)).toEqual([true, false, true, true, true]);
});
