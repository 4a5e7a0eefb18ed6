/**
 * A key made ahead becomes one that the ledger names: each party takes its share out of stock, and all
 * three say whether they had it. A share that was taken and not used is gone: a key is assigned once.
 */
import type { ThreadPools } from '../threads/thread-pools.js';
import type { CompletedShare } from '../threads/thread-tasks.js';
import { RSA_SHARE_SCHEME } from '../rsa/rsa-key-share.js';
import { KEY_VERSION, otherParties, type CeremonyRun } from './ceremony-run.js';
import type { RsaStockStore } from './rsa-stock-store.js';

const READY = Buffer.from([1]);
const MISSING = Buffer.from([0]);

/** Undefined when a party does not have it: then the key has to be made. */
export async function assignStock(
  { stock, threads }: { readonly stock: RsaStockStore; readonly threads: ThreadPools },
  { self, keyId, stockId, inbox, send }: CeremonyRun,
  modulusBits: number,
): Promise<CompletedShare | undefined> {
  const taken = await stock.take(stockId);
  const own = taken?.modulusBits === modulusBits ? taken : undefined;
  const word = own === undefined ? MISSING : READY;
  await Promise.all(otherParties(self.party).map((party) => send(party, 'stock', word)));
  const words = [...(await inbox.collect('stock')).values()];
  if (own === undefined || !words.every((heard) => READY.equals(heard))) return undefined;
  const { wrappedDek, sealed, publicKey, transcriptHash } = own;
  const resealed = await threads.reseal({
    from: { keyId: stockId, version: KEY_VERSION, wrappedDek, sealed },
    to: { keyId, version: KEY_VERSION },
    scheme: RSA_SHARE_SCHEME,
  });
  return { ...resealed, scheme: RSA_SHARE_SCHEME, publicKey, transcriptHash };
}
