import { describe, expect, it } from '@jest/globals';
import { FirstMessages } from './first-messages.js';

const bytes = (text: string) => Buffer.from(text);

describe('first messages', () => {
  it('are one for each party and tag: a second one is another face', () => {
    const messages = new FirstMessages({ messages: 10, bytes: 100 });
    expect(messages.add('round1', 2, bytes('first'))).toEqual(bytes('first'));
    expect(messages.add('round1', 2, bytes('second'))).toBeUndefined();
    expect(messages.add('round1', 3, bytes('another party'))).toBeDefined();
    expect(messages.add('round2', 2, bytes('another tag'))).toBeDefined();
    expect(messages.get('round1', 2)).toEqual(bytes('first'));
    expect(messages.get('round2', 3)).toBeUndefined();
  });

  it('are copies: who gave one cannot change it', () => {
    const messages = new FirstMessages({ messages: 10, bytes: 100 });
    const given = bytes('said');
    messages.add('round1', 2, given);
    given.fill(0);
    expect(messages.get('round1', 2)).toEqual(bytes('said'));
  });

  it('are no more, and no longer, than the limits', () => {
    const messages = new FirstMessages({ messages: 2, bytes: 8 });
    expect(messages.add('a', 2, bytes('12345'))).toBeDefined();
    expect(messages.add('b', 2, bytes('1234'))).toBeUndefined();
    expect(messages.add('b', 2, bytes('123'))).toBeDefined();
    expect(messages.add('c', 2, bytes(''))).toBeUndefined();
    // another party has its own
    expect(messages.add('a', 3, bytes('12345678'))).toBeDefined();
  });

  it('are given away in the order they came', () => {
    const messages = new FirstMessages({ messages: 2, bytes: 4 });
    messages.add('b', 3, bytes('12'));
    messages.add('a', 2, bytes('34'));
    expect(messages.drain()).toEqual([
      { from: 3, tag: 'b', payload: bytes('12') },
      { from: 2, tag: 'a', payload: bytes('34') },
    ]);
    expect(messages.drain()).toEqual([]);
    expect(messages.get('a', 2)).toBeUndefined();
  });
});
