import type { PartyNumber } from '@countersign/core/parties.js';
import type pg from 'pg';
import type { KeyOfSession } from './share-cache.js';

/** Shares of keys that have several: of a run that made the key, and of later ones. */
export interface SupersededStore {
  /** Names every share of keys that have several. */
  list(): Promise<KeyOfSession[]>;
  delete(shares: readonly KeyOfSession[]): Promise<void>;
}

export function createSupersededStore(pool: pg.Pool, party: PartyNumber): SupersededStore {
  const table = `party_${party}.key_share`;
  return {
    async list() {
      const { rows } = await pool.query<{ key_id: string; session: string }>(
        `SELECT key_id, session FROM ${table} WHERE key_id IN (
           SELECT key_id FROM ${table} GROUP BY key_id HAVING count(*) > 1)`,
      );
      return rows.map((row) => ({ keyId: row.key_id, session: row.session }));
    },
    async delete(shares) {
      await pool.query(
        `DELETE FROM ${table}
         WHERE (key_id, session) IN (SELECT * FROM unnest($1::uuid[], $2::text[]))`,
        [shares.map((share) => share.keyId), shares.map((share) => share.session)],
      );
    },
  };
}
