/** Discards shares left in stock whose keys no longer exist. */
import { otherParties, type CeremonyRun } from '../ceremonies/ceremony-run.js';
import type { RsaStockStore } from './rsa-stock-store.js';

/**
 * All three parties tell what they have, and keep what all of them have. A share whose key the others have assigned or
 * never stored can become no key: kept, it would count as stock for good.
 */
export async function discardOrphans(
  { self, inbox, signal, send }: CeremonyRun,
  store: Pick<RsaStockStore, 'list' | 'discard'>,
): Promise<void> {
  const own = await store.list();
  // an aborted run stops here: what is missing because it is being assigned must not be discarded elsewhere
  signal.throwIfAborted();
  const word = Buffer.from(own.join());
  await Promise.all(otherParties(self.party).map((party) => send(party, 'stock-ids', word)));
  const heard = [...(await inbox.collect('stock-ids')).values()];
  const orphans = orphansOf(
    own,
    heard.map((ids) => Buffer.from(ids).toString()),
  );
  if (orphans.length > 0) await store.discard(orphans);
}

/** Returns those of our own ids that not every list has. `lists`: ids of the other parties, joined by commas. */
export function orphansOf(own: readonly string[], lists: readonly string[]): string[] {
  const others = lists.map((list) => new Set(list.split(',')));
  return own.filter((stockId) => !others.every((ids) => ids.has(stockId)));
}
