import { toBase64, toHex } from '@countersign/core/bytes.js';
import type { ShownEntry } from '@countersign/core/key-birth.js';
import { queryStore } from '../stores/ask-store.js';
import type { ReadContext } from './read-operation.js';

/**
 * The ledger entry that made the key. From it, whoever approves a signature sees for themselves which venue the key is
 * for.
 */
export async function findKeyEntry(
  { journal, pool }: Pick<ReadContext, 'journal' | 'pool'>,
  keyId: string,
): Promise<ShownEntry | undefined> {
  const made = journal.findByKeyId(keyId);
  if (made === undefined) return undefined;
  const { rows } = await queryStore<{ body: Buffer }>(
    pool,
    'SELECT body FROM ledger_entry WHERE seq = $1',
    [made.seq],
  );
  const [row] = rows;
  return row === undefined
    ? undefined
    : { seq: made.seq, prev_hash: toHex(made.prevHash), body: toBase64(row.body) };
}
