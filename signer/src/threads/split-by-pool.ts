import type { StoredKey } from './thread-tasks.js';

/**
 * RSA items one by one to the slow pool, all others as one batch to the fast one; results in order. Each
 * must give one result per item.
 */
export async function splitByPool<Item extends { readonly key: Pick<StoredKey, 'type'> }, Result>(
  items: readonly Item[],
  runBatch: (batch: readonly Item[]) => Promise<Result[]>,
  runSlow: (item: Item) => Promise<Result>,
): Promise<Result[]> {
  const isSlow = (item: Item) => item.key.type === 'rsa';
  if (!items.some(isSlow)) return items.length === 0 ? [] : runBatch(items);
  const quick = items.filter((item) => !isSlow(item));
  const [batch, slow] = await Promise.all([
    quick.length === 0 ? [] : runBatch(quick),
    Promise.all(items.filter(isSlow).map(runSlow)),
  ]);
  return items.map((item) => (isSlow(item) ? slow.shift()! : batch.shift()!));
}
