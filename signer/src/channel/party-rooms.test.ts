import { describe, expect, it } from '@jest/globals';
import { PartyRooms } from './party-rooms.js';

function openRooms() {
  const clock = { now: 1_000_000 };
  const limits = { entries: 3, bytes: 100, keepMs: 5_000 };
  return { rooms: new PartyRooms<string>(limits, () => clock.now), clock };
}

describe('what waits for parties', () => {
  it('is taken once, by party and name, and the first of a name stays', () => {
    const { rooms } = openRooms();
    rooms.add(1, 'a', 'first', 1);
    rooms.add(1, 'a', 'second', 1);
    rooms.add(2, 'a', 'of another', 1);
    expect(rooms.take(1, 'a')).toBe('first');
    expect(rooms.take(1, 'a')).toBeUndefined();
    expect(rooms.take(2, 'a')).toBe('of another');
  });

  it('makes way for more of the same party, the oldest first, and never for another', () => {
    const { rooms } = openRooms();
    rooms.add(2, 'kept', 'kept', 50);
    for (let count = 0; count < 1_000; count++) rooms.add(3, `x${count}`, `x${count}`, 1);
    expect(rooms.takeAll(3, () => true)).toEqual(['x997', 'x998', 'x999']);
    expect(rooms.take(2, 'kept')).toBe('kept');
  });

  it('is bounded in bytes: room is made for what fits, and what fits nowhere pushes nothing out', () => {
    const { rooms } = openRooms();
    rooms.add(1, 'a', 'a', 60);
    rooms.add(1, 'huge', 'huge', 101);
    rooms.add(1, 'b', 'b', 40);
    rooms.add(1, 'c', 'c', 41);
    expect(rooms.takeAll(1, () => true)).toEqual(['b', 'c']);
    // what was taken has given its bytes back
    rooms.add(1, 'whole', 'whole', 100);
    expect(rooms.take(1, 'whole')).toBe('whole');
  });

  it('is dropped when nobody has come for it in time', () => {
    const { rooms, clock } = openRooms();
    rooms.add(1, 'old', 'old', 100);
    clock.now += 5_000;
    rooms.add(2, 'young', 'young', 1);
    clock.now += 1;
    expect(rooms.take(1, 'old')).toBeUndefined();
    expect(rooms.take(2, 'young')).toBe('young');
  });

  it('can be taken in part, in the order in which it came', () => {
    const { rooms } = openRooms();
    for (const name of ['a1', 'b', 'a2']) rooms.add(1, name, name, 1);
    expect(rooms.takeAll(1, (value) => value.startsWith('a'))).toEqual(['a1', 'a2']);
    expect(rooms.takeAll(1, () => true)).toEqual(['b']);
  });
});
