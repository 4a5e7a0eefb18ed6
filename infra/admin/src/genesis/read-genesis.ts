import { toHex } from '@countersign/core/bytes.js';
import { decodeEntryBody, type Genesis } from '@countersign/vault/ledger/entry.js';
import { createLedgerStore } from '@countersign/runtime/ledger/ledger-store.js';
import pg from 'pg';

/** The ledger's first entry and its hash (hex). Throws while there is none. */
export async function readGenesis(
  databaseUrl: string,
): Promise<{ readonly genesisHash: string; readonly genesis: Genesis }> {
  const pool = new pg.Pool({ connectionString: databaseUrl, max: 1 });
  try {
    const [row] = await createLedgerStore(pool).readAfter(0, 1);
    if (row === undefined) throw new Error('the ledger has no genesis');
    const { content } = decodeEntryBody(row.body);
    if (content.kind !== 'genesis') throw new Error('the first entry is no genesis');
    return { genesisHash: toHex(row.hash), genesis: content.genesis };
  } finally {
    await pool.end();
  }
}

/** What a client pins: genesis hash and party identities. */
export async function readPin(databaseUrl: string): Promise<{
  readonly genesis_hash: string;
  readonly vault_id: string;
  readonly parties: Genesis['parties'];
}> {
  const { genesisHash, genesis } = await readGenesis(databaseUrl);
  return { genesis_hash: genesisHash, vault_id: genesis.vault_id, parties: genesis.parties };
}
