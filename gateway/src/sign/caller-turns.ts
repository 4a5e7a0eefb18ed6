/**
 * Chooses who is next when more requests wait than may leave: callers take turns, so that nobody who asks for much
 * delays others.
 */
interface Waiting {
  readonly caller: string;
  /** What items of one request share: they leave together where they can, and count one by one. */
  readonly bundle?: unknown;
}

/** At most `room` of them, in the order in which they wait. */
export function takeTurns<Task extends Waiting>(waiting: readonly Task[], room: number): Task[] {
  if (waiting.length <= room) return [...waiting];
  const turns = turnsOf(waiting);
  // sorting is stable: tasks of the same turn keep their order
  const first = waiting.toSorted((a, b) => turns.get(a)! - turns.get(b)!).slice(0, room);
  const taken = new Set(withoutCut(first, waiting));
  return waiting.filter((task) => taken.has(task));
}

/** A bundle has the turn of its first task. */
function turnsOf<Task extends Waiting>(waiting: readonly Task[]): ReadonlyMap<Task, number> {
  const counts = new TurnCounts();
  const ofBundles = new Map<unknown, number>();
  return new Map(
    waiting.map((task) => {
      const turn = counts.add(task.caller);
      if (task.bundle === undefined) return [task, turn];
      const ofBundle = ofBundles.get(task.bundle) ?? turn;
      ofBundles.set(task.bundle, ofBundle);
      return [task, ofBundle];
    }),
  );
}

/** Leaves out the last bundle if only a part of it has room, unless nothing else is there. */
function withoutCut<Task extends Waiting>(first: readonly Task[], waiting: readonly Task[]) {
  const bundle = first.at(-1)?.bundle;
  if (bundle === undefined) return first;
  const others = first.filter((task) => task.bundle !== bundle);
  const ofIt = waiting.filter((task) => task.bundle === bundle);
  const isCut = first.length - others.length < ofIt.length;
  return isCut && others.length > 0 ? others : first;
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
