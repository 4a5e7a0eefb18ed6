/**
 * Chooses who is next when more requests wait than may leave: callers take turns, so that nobody who asks for much
 * delays others.
 */
interface Waiting {
  readonly caller: string;
}

/** At most `room` of them, in the order in which they wait. */
export function takeTurns<Task extends Waiting>(waiting: readonly Task[], room: number): Task[] {
  if (waiting.length <= room) return [...waiting];
  const counts = new TurnCounts();
  // sorting is stable: tasks of the same turn keep their order
  const turns = new Map(waiting.map((task) => [task, counts.add(task.caller)]));
  const first = waiting.toSorted((a, b) => turns.get(a)! - turns.get(b)!).slice(0, room);
  const taken = new Set(first);
  return waiting.filter((task) => taken.has(task));
}

/** How many requests of each caller wait. */
export class TurnCounts {
  readonly #counts = new Map<string, number>();
  #total = 0;

  get total(): number {
    return this.#total;
  }

  /** Returns how many of the same caller are before it. */
  add(caller: string): number {
    const before = this.#counts.get(caller) ?? 0;
    this.#counts.set(caller, before + 1);
    this.#total += 1;
    return before;
  }

  remove(caller: string): void {
    const left = this.#counts.get(caller)! - 1;
    if (left === 0) this.#counts.delete(caller);
    else this.#counts.set(caller, left);
    this.#total -= 1;
  }

  /** How many requests leave before the caller's next one would, if all take turns. */
  placeOf(caller: string): number {
    const own = this.#counts.get(caller) ?? 0;
    let place = 0;
    for (const count of this.#counts.values()) place += Math.min(count, own + 1);
    return place;
  }
}
