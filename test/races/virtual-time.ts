/**
 * Time and chance of one run: everything that waits, waits here, and what comes first is decided by the seed.
 * Production code meets it as `setTimeout`, `setInterval` and `performance.now`; what stands for a network or a store
 * calls `wait`.
 */

/** A process of the run. What belongs to one that is gone never happens; what belongs to a paused one comes late. */
export interface SimulatedProcess {
  isGone: boolean;
  /** ms. */
  pausedUntil: number;
}

export interface Chance {
  /** At least 0, less than 1. */
  next(): number;
  between(low: number, high: number): number;
  pick<Item>(items: readonly Item[]): Item;
  /** True so often. */
  happens(probability: number): boolean;
}

/** Mulberry32: small, fast, the same everywhere. */
export function createChance(seed: number): Chance {
  let state = seed >>> 0;
  const next = () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = state;
    mixed = Math.imul(mixed ^ (mixed >>> 15), mixed | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
  return {
    next,
    between: (low, high) => low + next() * (high - low),
    pick: (items) => items[Math.floor(next() * items.length)]!,
    happens: (probability) => next() < probability,
  };
}

interface Due {
  at: number;
  /** Among what is due at the same moment, what was asked for first comes first. */
  readonly order: number;
  readonly owner: SimulatedProcess | undefined;
  readonly run: () => void;
  isCancelled: boolean;
}

export interface VirtualTime {
  /** ms since the start of the run. */
  readonly now: number;
  /** In `ms`, as part of the process that runs now, or of `owner`; of none (`null`): nothing stops it. */
  after(ms: number, run: () => void, owner?: SimulatedProcess | null): Due;
  /** As {@link after}; never resolves in a process that is gone. */
  wait(ms: number, owner?: SimulatedProcess | null): Promise<void>;
  /** What is begun by `run` belongs to this process. */
  as(owner: SimulatedProcess, run: () => void): void;
  /** Until `isOver`, or until the time has come. */
  run(until: number, isOver: () => boolean): Promise<void>;
}

const realSetImmediate = setImmediate;

export function createVirtualTime(): VirtualTime {
  const queue = createQueue();
  let now = 0;
  let order = 0;
  let current: SimulatedProcess | undefined;
  const begun = new WeakMap<SimulatedProcess, number>();

  /** ms since the process that runs now was first heard of. */
  function elapsed(): number {
    if (current === undefined) return now;
    if (!begun.has(current)) begun.set(current, now);
    return now - begun.get(current)!;
  }

  function after(
    ms: number,
    run: () => void,
    owner: SimulatedProcess | null | undefined = current,
  ): Due {
    order += 1;
    const due = {
      at: now + Math.max(0, ms),
      order,
      owner: owner ?? undefined,
      run,
      isCancelled: false,
    };
    queue.push(due);
    return due;
  }

  return {
    get now() {
      return now;
    },
    after,
    wait: (ms, owner) => new Promise((resolve) => after(ms, resolve, owner)),
    as(owner, run) {
      const before = current;
      current = owner;
      run();
      current = before;
    },
    async run(until, isOver) {
      const restore = takeTimers(after, elapsed);
      try {
        while (!isOver()) {
          const due = queue.pop();
          if (due === undefined || due.at > until) return;
          if (due.isCancelled || due.owner?.isGone === true) continue;
          now = Math.max(now, due.at);
          if (due.owner !== undefined && due.owner.pausedUntil > now) {
            due.at = due.owner.pausedUntil;
            queue.push(due);
            continue;
          }
          current = due.owner;
          due.run();
          // whatever follows from it without waiting happens now
          await new Promise<void>((resolve) => void realSetImmediate(resolve));
          current = undefined;
        }
      } finally {
        restore();
      }
    },
  };
}

type Timers = Pick<
  typeof globalThis,
  'setTimeout' | 'setInterval' | 'clearTimeout' | 'clearInterval'
>;

/** Those of the run that goes on. */
let taken: Timers | undefined;
let takenNow: (() => number) | undefined;
let areReplaced = false;

/** Once for all runs: Jest keeps whatever was ever assigned to a global, and with it a whole run. */
function replaceTimers(): void {
  if (areReplaced) return;
  areReplaced = true;
  const { setTimeout, setInterval, clearTimeout, clearInterval } = globalThis;
  const real = { setTimeout, setInterval, clearTimeout, clearInterval };
  for (const name of Object.keys(real) as (keyof Timers)[]) {
    const either = (...given: unknown[]): unknown =>
      Reflect.apply((taken ?? real)[name], globalThis, given);
    Object.assign(globalThis, { [name]: either });
  }
  const realNow = performance.now.bind(performance);
  Object.assign(performance, { now: () => (takenNow ?? realNow)() });
}

/** The global timers for the length of a run. */
function takeTimers(after: VirtualTime['after'], elapsed: () => number): () => void {
  const handles = new WeakMap<object, Due>();
  const handleOf = (due: Due) => {
    const handle = { unref: () => handle, ref: () => handle, hasRef: () => true };
    handles.set(handle, due);
    return handle;
  };
  const clear = (handle: unknown) => {
    const due = typeof handle === 'object' && handle !== null ? handles.get(handle) : undefined;
    if (due !== undefined) due.isCancelled = true;
  };
  const replaced = {
    setTimeout: (run: () => void, ms = 0) => handleOf(after(ms, run)),
    setInterval(run: () => void, ms = 0) {
      const again = () => {
        run();
        handles.set(handle, after(ms, again));
      };
      const handle = handleOf(after(ms, again));
      return handle;
    },
    clearTimeout: clear,
    clearInterval: clear,
  };
  replaceTimers();
  taken = replaced as unknown as Timers;
  takenNow = elapsed;
  return () => {
    taken = undefined;
    takenNow = undefined;
  };
}

/** A binary heap: the earliest first. */
function createQueue() {
  const heap: Due[] = [];
  const isBefore = (a: Due, b: Due) => a.at < b.at || (a.at === b.at && a.order < b.order);
  const swap = (a: number, b: number) => {
    [heap[a], heap[b]] = [heap[b]!, heap[a]!];
  };
  return {
    push(due: Due) {
      let at = heap.push(due) - 1;
      while (at > 0) {
        const parent = (at - 1) >> 1;
        if (!isBefore(heap[at]!, heap[parent]!)) return;
        swap(at, parent);
        at = parent;
      }
    },
    pop(): Due | undefined {
      if (heap.length === 0) return undefined;
      swap(0, heap.length - 1);
      const first = heap.pop();
      let at = 0;
      for (;;) {
        const left = 2 * at + 1;
        let least = at;
        for (const child of [left, left + 1]) {
          if (child < heap.length && isBefore(heap[child]!, heap[least]!)) least = child;
        }
        if (least === at) return first;
        swap(at, least);
        at = least;
      }
    },
  };
}
