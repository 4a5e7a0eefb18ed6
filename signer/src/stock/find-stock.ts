import type { Key } from '@countersign/vault/state/state.js';
import type { RsaStockStore } from './rsa-stock-store.js';
import { STOCK_MODULUS_BITS } from './stock-part.js';

/** Returns the id of the oldest key made ahead that may become this one; empty for none. */
export async function findStock(
  key: Pick<Key, 'status' | 'modulusBits'> | undefined,
  stock: Pick<RsaStockStore, 'list'>,
): Promise<string> {
  const mayUseStock = key?.status === 'generating' && key.modulusBits === STOCK_MODULUS_BITS;
  if (!mayUseStock) return '';
  const [oldest = ''] = await stock.list();
  return oldest;
}
