import type { StoredKey } from './thread-tasks.js';

export interface OfKey {
  readonly key: Pick<StoredKey, 'type' | 'keyId'>;
}

/** How a pool takes its items of a batch. */
export interface PoolTasks<Item, Result> {
  /** The most tasks, at least one, in which it takes so many items. */
  tasksOf(items: number): number;
  /** Runs one task. It must give one result per item. */
  run(part: readonly Item[]): Promise<Result[]>;
}

/**
 * Gives RSA items to the slow pool and all others to the fast one; returns results in order. Items of one key stay
 * together as far as they can: a task opens each key's share once.
 */
export async function splitByPool<Item extends OfKey, Result>(
  items: readonly Item[],
  pools: Record<'fast' | 'slow', PoolTasks<NoInfer<Item>, Result>>,
): Promise<Result[]> {
  const places = byKey(items);
  const parts = [
    ...partsOf(
      pools.fast,
      places.filter((place) => !isSlow(items[place]!)),
    ),
    ...partsOf(
      pools.slow,
      places.filter((place) => isSlow(items[place]!)),
    ),
  ];
  const results = new Array<Result>(items.length);
  await Promise.all(
    parts.map(async (part) => {
      const made = await part.pool.run(part.places.map((place) => items[place]!));
      part.places.forEach((place, index) => (results[place] = made[index]!));
    }),
  );
  return results;
}

function isSlow({ key }: OfKey): boolean {
  return key.type === 'rsa';
}

function byKey(items: readonly OfKey[]): number[] {
  const keyAt = (place: number) => items[place]!.key.keyId;
  return items
    .map((_, place) => place)
    .sort((a, b) => (keyAt(a) < keyAt(b) ? -1 : keyAt(a) > keyAt(b) ? 1 : a - b));
}

/** Divides the items as evenly as possible; no part is empty. */
function partsOf<Pool extends Pick<PoolTasks<never, unknown>, 'tasksOf'>>(
  pool: Pool,
  places: readonly number[],
): { readonly pool: Pool; readonly places: readonly number[] }[] {
  if (places.length === 0) return [];
  const parts = Math.min(pool.tasksOf(places.length), places.length);
  const start = (part: number) => Math.floor((part * places.length) / parts);
  return Array.from({ length: parts }, (_, part) => ({
    pool,
    places: places.slice(start(part), start(part + 1)),
  }));
}
