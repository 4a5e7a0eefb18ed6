import { describe, expect, it } from '@jest/globals';
import { FirstWords } from './first-words.js';

const bytes = (text: string) => Buffer.from(text);

describe('first words', () => {
  it('are one for each party and tag: a second one is another face', () => {
    const words = new FirstWords({ messages: 10, bytes: 100 });
    expect(words.add('round1', 2, bytes('first'))).toEqual(bytes('first'));
    expect(words.add('round1', 2, bytes('second'))).toBeUndefined();
    expect(words.add('round1', 3, bytes('another party'))).toBeDefined();
    expect(words.add('round2', 2, bytes('another tag'))).toBeDefined();
    expect(words.get('round1', 2)).toEqual(bytes('first'));
    expect(words.get('round2', 3)).toBeUndefined();
  });

  it('are copies: who gave one cannot change it', () => {
    const words = new FirstWords({ messages: 10, bytes: 100 });
    const given = bytes('said');
    words.add('round1', 2, given);
    given.fill(0);
    expect(words.get('round1', 2)).toEqual(bytes('said'));
  });

  it('are no more, and no longer, than the limits', () => {
    const words = new FirstWords({ messages: 2, bytes: 8 });
    expect(words.add('a', 2, bytes('12345'))).toBeDefined();
    expect(words.add('b', 2, bytes('1234'))).toBeUndefined();
    expect(words.add('b', 2, bytes('123'))).toBeDefined();
    expect(words.add('c', 2, bytes(''))).toBeUndefined();
    // another party has its own
    expect(words.add('a', 3, bytes('12345678'))).toBeDefined();
  });

  it('are given away in the order they came', () => {
    const words = new FirstWords({ messages: 2, bytes: 4 });
    words.add('b', 3, bytes('12'));
    words.add('a', 2, bytes('34'));
    expect(words.drain()).toEqual([
      { from: 3, tag: 'b', payload: bytes('12') },
      { from: 2, tag: 'a', payload: bytes('34') },
    ]);
    expect(words.drain()).toEqual([]);
    expect(words.get('a', 2)).toBeUndefined();
  });
});
