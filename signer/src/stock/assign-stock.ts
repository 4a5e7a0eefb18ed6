/**
 * Makes a key made ahead into one that the ledger names: each party takes its share out of stock, and all three say
 * what they would attest. A share that was taken and not used is gone: a key is assigned once.
 */
import type { ThreadPools } from '../threads/thread-pools.js';
import type { CompletedShare } from '../threads/thread-tasks.js';
import { otherParties, type CeremonyRun } from '../ceremonies/ceremony-run.js';
import { KEY_VERSION } from '../threads/sealed-share.js';
import type { RsaStockStore } from './rsa-stock-store.js';

const MISSING = new Uint8Array();

interface StockDeps {
  readonly stock: Pick<RsaStockStore, 'take'>;
  readonly threads: Pick<ThreadPools, 'reseal'>;
  /** Whether `publicKey` is or was another key's. */
  isAnothersKey(keyId: string, publicKey: Uint8Array): boolean;
}

/**
 * Undefined when not all three have it, or when it was a key already: then a key has to be made. If this party's share
 * is not what was sealed, somebody has changed the database: rejects, and says nothing to the others.
 */
export async function assignStock(
  { stock, threads, isAnothersKey }: StockDeps,
  { self, keyId, stockId, inbox, send }: CeremonyRun,
  modulusBits: number,
): Promise<CompletedShare | undefined> {
  const taken = await stock.take(stockId);
  // reseals before the others hear of it: what cannot be used here must not be attested there
  const found =
    taken &&
    (await threads.reseal({
      from: { keyId: stockId, version: KEY_VERSION, ...taken },
      to: { keyId, version: KEY_VERSION },
      modulusBits,
    }));
  // the owner of the database can bring back what was assigned before
  const own = found && !isAnothersKey(keyId, found.publicKey) ? found : undefined;
  const word = own?.transcriptHash ?? MISSING;
  await Promise.all(otherParties(self.party).map((party) => send(party, 'stock', word)));
  const words = [...(await inbox.collect('stock')).values()];
  return words.every((heard) => Buffer.compare(heard, word) === 0) ? own : undefined;
}
