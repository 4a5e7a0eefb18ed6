import { FixedQueue, Piscina, queueOptionsSymbol, type TaskQueue } from 'piscina';

type Task = Parameters<TaskQueue['push']>[0];

const URGENT = { isUrgent: true };

/** Marks the task to go before all that are not urgent. */
export function urgent<Task extends object>(task: Task): Task {
  return { ...task, [Piscina.queueOptionsSymbol]: URGENT };
}

/**
 * Keeps tasks in their order, the urgent ones first. A party's statements (which a freeze waits for) and the signature
 * that ends a batch take microseconds; otherwise they would wait for batches of tens of milliseconds.
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

  /** Puts back a task that was taken. */
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
