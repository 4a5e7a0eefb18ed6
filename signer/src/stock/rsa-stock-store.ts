/**
 * This party's shares of RSA keys made ahead, which are not in the ledger until they are assigned. All that is said of
 * a key is inside the seal, out of reach of whoever writes the database.
 */
import type { PartyNumber } from '@countersign/core/parties.js';
import type pg from 'pg';
import type { SealedShare } from '../threads/sealed-share.js';

export interface StockedShare extends SealedShare {
  readonly stockId: string;
}

export interface RsaStockStore {
  insert(share: StockedShare): Promise<void>;
  /** Ids, the oldest first. */
  list(): Promise<string[]>;
  /** Removes the share and returns it: a key is assigned once. */
  take(stockId: string): Promise<SealedShare | undefined>;
  discard(stockIds: readonly string[]): Promise<void>;
}

interface Row {
  wrapped_dek: Buffer;
  sealed: Buffer;
}

export function createRsaStockStore(pool: pg.Pool, party: PartyNumber): RsaStockStore {
  const table = `party_${party}.rsa_stock`;
  return {
    async insert({ stockId, wrappedDek, sealed }) {
      await pool.query(
        `INSERT INTO ${table} (stock_id, wrapped_dek, sealed, created_at)
         VALUES ($1, $2, $3, now())`,
        [stockId, wrappedDek, sealed],
      );
    },
    async list() {
      const { rows } = await pool.query<{ stock_id: string }>(
        `SELECT stock_id FROM ${table} ORDER BY created_at`,
      );
      return rows.map((row) => row.stock_id);
    },
    async take(stockId) {
      const { rows } = await pool.query<Row>(
        `DELETE FROM ${table} WHERE stock_id = $1 RETURNING wrapped_dek, sealed`,
        [stockId],
      );
      const row = rows[0];
      return row && { wrappedDek: row.wrapped_dek, sealed: row.sealed };
    },
    async discard(stockIds) {
      await pool.query(`DELETE FROM ${table} WHERE stock_id = ANY($1)`, [stockIds]);
    },
  };
}
