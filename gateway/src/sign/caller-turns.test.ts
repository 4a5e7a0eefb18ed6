import { describe, expect, it } from '@jest/globals';
import { TurnCounts, takeTurns } from './caller-turns.js';

const waiting = (...callers: string[]) => callers.map((caller, at) => ({ caller, at }));
const takenAt = (tasks: readonly { at: number }[]) => tasks.map(({ at }) => at);

describe('callers take turns', () => {
  it('where all have room everybody goes, in the order in which they wait', () => {
    expect(takenAt(takeTurns(waiting('a', 'a', 'b'), 3))).toEqual([0, 1, 2]);
  });

  it('where not, nobody goes twice before everybody went once', () => {
    const tasks = waiting('a', 'a', 'a', 'b', 'c', 'a', 'b');
    expect(takenAt(takeTurns(tasks, 3))).toEqual([0, 3, 4]);
    expect(takenAt(takeTurns(tasks, 5))).toEqual([0, 1, 3, 4, 6]);
    expect(takenAt(takeTurns(tasks, 0))).toEqual([]);
  });

  it('the items of one request leave together', () => {
    const ladder = (caller: string, count: number) => {
      const bundle = {};
      return Array.from({ length: count }, () => ({ caller, bundle, at: 0 }));
    };
    const tasks = [...ladder('a', 3), ...ladder('a', 3), ...ladder('b', 3)].map((task, at) => ({
      ...task,
      at,
    }));
    expect(takenAt(takeTurns(tasks, 6))).toEqual([0, 1, 2, 6, 7, 8]);
    expect(takenAt(takeTurns(tasks, 5))).toEqual([0, 1, 2]);
    expect(takenAt(takeTurns(tasks, 2))).toEqual([0, 1]);
    expect(takenAt(takeTurns(tasks, 1, 2))).toEqual([0, 1]);
    expect(takenAt(takeTurns(tasks, 2, 8))).toEqual([0, 1, 2]);
  });

  it('the last item of a request for several waits for all before it', () => {
    const counts = new TurnCounts();
    counts.add('greedy', 100);
    counts.add('b', 2);
    expect(counts.placeOf('b', 20)).toBe(2 + 19 + 22);
    expect(counts.placeOf('greedy', 20)).toBe(100 + 19 + 2);
    counts.remove('greedy', 90);
    expect(counts.placeOf('b', 20)).toBe(2 + 19 + 10);
    counts.remove('greedy', 10);
    expect(counts.total).toBe(2);
  });

  it('a further request leaves after those of its turn, however many others wait', () => {
    const counts = new TurnCounts();
    for (const { caller } of waiting(...Array.from({ length: 100 }, () => 'greedy'), 'b', 'b')) {
      counts.add(caller);
    }
    expect(counts.total).toBe(102);
    expect(counts.placeOf('greedy')).toBe(102);
    expect(counts.placeOf('b')).toBe(5);
    expect(counts.placeOf('new')).toBe(2);
    for (let gone = 0; gone < 100; gone++) counts.remove('greedy');
    expect(counts.placeOf('new')).toBe(1);
    expect(counts.total).toBe(2);
  });
});
