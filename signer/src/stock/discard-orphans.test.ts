import { describe, expect, it } from '@jest/globals';
import { orphansOf } from './discard-orphans.js';

describe('orphans in stock', () => {
  it('are the keys that one of the other parties does not have', () => {
    expect(orphansOf(['a', 'b', 'c', 'd'], ['d,b,a', 'a,c,d,e'])).toEqual(['b', 'c']);
  });

  it('are all when a party has none, and none when all have the same', () => {
    expect(orphansOf(['a', 'b'], ['a,b', ''])).toEqual(['a', 'b']);
    expect(orphansOf(['a', 'b'], ['b,a', 'a,b'])).toEqual([]);
    expect(orphansOf([], ['a', ''])).toEqual([]);
  });
});
