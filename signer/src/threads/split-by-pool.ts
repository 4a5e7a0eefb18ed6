import type { StoredKey } from './thread-tasks.js';

interface OfKey {
  readonly key: Pick<StoredKey, 'type' | 'keyId'>;
}

/**
 * RSA items to the slow pool, in `slowTasks` batches at most, all others as one batch to the fast one; results in order.
 * Each must give one result per item. Items of one key stay together as far as they can: a batch opens each key's share once.
 */
export async function splitByPool<Item extends OfKey, Result>(
  items: readonly Item[],
  runBatch: (batch: readonly Item[]) => Promise<Result[]>,
  slow: {
    readonly tasks: number;
    readonly run: (batch: readonly Item[]) => Promise<Result[]>;
  },
): Promise<Result[]> {
  if (!items.some(isSlow)) return items.length === 0 ? [] : runBatch(items);
  const places = items.map((_, place) => place);
  const batches = [
    { run: runBatch, places: places.filter((place) => !isSlow(items[place]!)) },
    ...inParts(
      byKey(
        items,
        places.filter((place) => isSlow(items[place]!)),
      ),
      slow.tasks,
    ).map((part) => ({ run: slow.run, places: part })),
  ].filter((batch) => batch.places.length > 0);
  const results = new Array<Result>(items.length);
  await Promise.all(
    batches.map(async (batch) => {
      const made = await batch.run(batch.places.map((place) => items[place]!));
      batch.places.forEach((place, index) => (results[place] = made[index]!));
    }),
  );
  return results;
}

function isSlow({ key }: OfKey): boolean {
  return key.type === 'rsa';
}

function byKey(items: readonly OfKey[], places: readonly number[]): number[] {
  const keyAt = (place: number) => items[place]!.key.keyId;
  return places.toSorted((a, b) => (keyAt(a) < keyAt(b) ? -1 : keyAt(a) > keyAt(b) ? 1 : a - b));
}

/** As even as they can be, none empty. */
function inParts(places: readonly number[], most: number): number[][] {
  const parts = Math.min(most, places.length);
  const start = (part: number) => Math.floor((part * places.length) / parts);
  return Array.from({ length: parts }, (_, part) => places.slice(start(part), start(part + 1)));
}
