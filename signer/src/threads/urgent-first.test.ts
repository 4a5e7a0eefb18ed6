import { describe, expect, it } from '@jest/globals';
import { Piscina, queueOptionsSymbol, type TaskQueue } from 'piscina';
import { urgent, UrgentFirst } from './urgent-first.js';

type Task = Parameters<TaskQueue['push']>[0] & { readonly name: string };

/** As the pool wraps a task. */
function task(name: string, isUrgent = false): Task {
  const given: { [queueOptionsSymbol]?: object } = isUrgent ? urgent({}) : {};
  return { name, [queueOptionsSymbol]: given[Piscina.queueOptionsSymbol as never] ?? null };
}

function drain(queue: UrgentFirst): string[] {
  const names: string[] = [];
  while (queue.size > 0) names.push((queue.shift() as Task).name);
  expect(queue.shift()).toBeNull();
  return names;
}

describe('the queue of a signing thread', () => {
  it('gives out what is urgent first, and otherwise what came first', () => {
    const queue = new UrgentFirst();
    for (const one of [task('a'), task('word', true), task('b'), task('tree', true)])
      queue.push(one);
    expect(queue.size).toBe(4);
    expect(drain(queue)).toEqual(['word', 'tree', 'a', 'b']);
  });

  it('puts back in front, and takes out from within, where a task belongs', () => {
    const queue = new UrgentFirst();
    const [a, b, word, tree] = [task('a'), task('b'), task('word', true), task('tree', true)];
    for (const one of [b, tree]) queue.push(one);
    queue.unshift(a);
    queue.unshift(word);
    queue.remove(tree);
    queue.remove(a);
    expect(drain(queue)).toEqual(['word', 'b']);
  });
});
