/** Who is next where more wait than may leave: callers take turns, so that one who asks for much delays nobody else. */
interface Waiting {
  readonly caller: string;
}

/** At most `room` of them, in the order in which they wait. */
export function takeTurns<Task extends Waiting>(waiting: readonly Task[], room: number): Task[] {
  if (waiting.length <= room) return [...waiting];
  const turns = turnsOf(waiting);
  // those of the same turn as they wait: sorting keeps their order
  const first = waiting.toSorted((a, b) => turns.get(a)! - turns.get(b)!).slice(0, room);
  const taken = new Set(first);
  return waiting.filter((task) => taken.has(task));
}

/** How many of the same caller wait before each. */
function turnsOf<Task extends Waiting>(waiting: readonly Task[]): Map<Task, number> {
  const counts = new Map<string, number>();
  return new Map(
    waiting.map((task) => {
      const turn = counts.get(task.caller) ?? 0;
      counts.set(task.caller, turn + 1);
      return [task, turn];
    }),
  );
}

/** How many requests leave before a further one of the caller does, if all take turns. */
export function placeInTurns(waiting: readonly Waiting[], caller: string): number {
  const counts = new Map<string, number>();
  for (const task of waiting) counts.set(task.caller, (counts.get(task.caller) ?? 0) + 1);
  const own = counts.get(caller) ?? 0;
  return [...counts.values()].reduce((sum, count) => sum + Math.min(count, own + 1), 0);
}
