/**
 * Chooses who is next when more requests wait than may leave: callers take turns, so that nobody who asks for much
 * delays others.
 */
interface Waiting {
  readonly caller: string;
  /** What items of one request share: they leave together where they can, and count one by one. */
  readonly bundle?: unknown;
}

/**
 * At most `room` of them, in the order in which they wait. If the first bundle alone has more, at most `ofBundle` of it
 * are taken.
 */
export function takeTurns<Task extends Waiting>(
  waiting: readonly Task[],
  room: number,
  ofBundle: number = room,
): Task[] {
  if (waiting.length <= room) return [...waiting];
  const turns = turnsOf(waiting);
  // sorting is stable: tasks of the same turn keep their order
  const sorted = waiting.toSorted((a, b) => turns.get(a)! - turns.get(b)!);
  const taken = new Set(withoutCut(sorted, room, ofBundle));
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

/** Leaves out the last bundle if only a part of it has room. If nothing else is there, more of it is taken instead. */
function withoutCut<Task extends Waiting>(
  sorted: readonly Task[],
  room: number,
  ofBundle: number,
): readonly Task[] {
  const first = sorted.slice(0, room);
  const bundle = first.at(-1)?.bundle;
  if (bundle === undefined || sorted[room]?.bundle !== bundle) return first;
  const others = first.filter((task) => task.bundle !== bundle);
  if (others.length > 0) return others;
  return sorted.filter((task) => task.bundle === bundle).slice(0, Math.max(room, ofBundle));
}

/** How many requests of each caller wait. */
export class TurnCounts {
  readonly #counts = new Map<string, number>();
  #total = 0;

  get total(): number {
    return this.#total;
  }

  /** Returns how many of the same caller are before them. */
  add(caller: string, items: number = 1): number {
    const before = this.#counts.get(caller) ?? 0;
    this.#counts.set(caller, before + items);
    this.#total += items;
    return before;
  }

  remove(caller: string, items: number = 1): void {
    const left = this.#counts.get(caller)! - items;
    if (left === 0) this.#counts.delete(caller);
    else this.#counts.set(caller, left);
    this.#total -= items;
  }

  /** How many others leave before the last of the caller's next `items` would, if all take turns. */
  placeOf(caller: string, items: number = 1): number {
    const own = this.#counts.get(caller) ?? 0;
    let place = items - 1;
    for (const [other, count] of this.#counts) {
      place += other === caller ? count : Math.min(count, own + items);
    }
    return place;
  }
}
