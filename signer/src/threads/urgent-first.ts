import { FixedQueue, Piscina, queueOptionsSymbol, type TaskQueue } from 'piscina';

type Task = Parameters<TaskQueue['push']>[0];

const URGENT = { isUrgent: true };

/** The task as one that goes before all that are not urgent. */
export function urgent<Task extends object>(task: Task): Task {
  return { ...task, [Piscina.queueOptionsSymbol]: URGENT };
}

/**
 * Tasks in their order, the urgent ones first. A party's words (what a freeze waits for) and the signature that ends a batch
 * take microseconds, and would wait for batches of tens of milliseconds otherwise.
 */
export class UrgentFirst implements TaskQueue {
  readonly #urgent = new FixedQueue();
  readonly #others = new FixedQueue();

  get size(): number {
    return this.#urgent.size + this.#others.size;
  }

  shift(): Task | null {
    return this.#urgent.shift() ?? this.#others.shift();
  }

  push(task: Task): void {
    this.#queueOf(task).push(task);
  }

  /** One that was taken, and given back. */
  unshift(task: Task): void {
    this.#queueOf(task).unshift(task);
  }

  remove(task: Task): void {
    this.#queueOf(task).remove(task);
  }

  #queueOf(task: Task): FixedQueue {
    return task[queueOptionsSymbol] === URGENT ? this.#urgent : this.#others;
  }
}
