/**
 * Group commit without a timer: everything that arrived during the last commit goes into the next. Load sets the size
 * by itself: one item when idle, many when busy.
 */
export interface GroupCommit<Item, Result> {
  /** Resolves once the item's group is committed; rejects when the group failed. */
  add(item: Item): Promise<Result>;
  /** Resolves once nothing is waiting or under way. */
  drain(): Promise<void>;
}

interface Waiting<Item, Result> {
  readonly item: Item;
  resolve(result: Result): void;
  reject(error: unknown): void;
}

/** `commit` returns one result per item, in order. It never runs twice at a time. */
export function createGroupCommit<Item, Result>(
  commit: (items: readonly Item[]) => Promise<readonly Result[]>,
  maxItems = 512,
): GroupCommit<Item, Result> {
  let waiting: Waiting<Item, Result>[] = [];
  let running: Promise<void> | undefined;

  async function run(): Promise<void> {
    while (waiting.length > 0) {
      const group = waiting.slice(0, maxItems);
      waiting = waiting.slice(maxItems);
      try {
        const results = await commit(group.map(({ item }) => item));
        group.forEach((entry, index) => entry.resolve(results[index]!));
      } catch (error) {
        for (const entry of group) entry.reject(error);
      }
    }
    running = undefined;
  }

  return {
    add(item) {
      return new Promise((resolve, reject) => {
        waiting.push({ item, resolve, reject });
        // a microtask later, so that items added in one turn of the event loop share a group
        running ??= Promise.resolve().then(run);
      });
    },
    async drain() {
      await running;
    },
  };
}
