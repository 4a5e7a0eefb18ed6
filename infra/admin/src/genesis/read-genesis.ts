import { decodeEntryBody } from '@countersign/vault/ledger/entry.js';
import { createLedgerStore } from '@countersign/runtime/ledger/ledger-store.js';
import pg from 'pg';
import { pinOf, type GenesisPin } from './genesis-pin.js';

/**
 * The pin of the genesis that a database holds, computed from it. Whoever owns the database chose it: it is to be
 * compared with what `init` printed. Throws while there is none.
 */
export async function readGenesisPin(databaseUrl: string): Promise<GenesisPin> {
  const pin = await findGenesisPin(databaseUrl);
  if (pin === undefined) throw new Error('the ledger has no genesis');
  return pin;
}

/** As `readGenesisPin`; undefined while there is none. */
export async function findGenesisPin(databaseUrl: string): Promise<GenesisPin | undefined> {
  const pool = new pg.Pool({ connectionString: databaseUrl, max: 1 });
  try {
    const [row] = await createLedgerStore(pool).readAfter(0, 1);
    if (row === undefined) return undefined;
    const { content } = decodeEntryBody(row.body);
    if (content.kind !== 'genesis') throw new Error('the first entry is no genesis');
    return pinOf(content.genesis, row.body);
  } finally {
    await pool.end();
  }
}
