/** This party's HPKE keys for imports: private keys sealed under its KEK, shared by its replicas. */
import type { PartyNumber } from '@countersign/core/parties.js';
import type pg from 'pg';
import type { SealedRecipient } from '../threads/thread-tasks.js';

export interface RecipientStore {
  find(recipientId: string): Promise<SealedRecipient | undefined>;
  insert(recipient: SealedRecipient, expiresAt: number): Promise<void>;
  /** Deletes expired keys: what was sealed to them can never be opened again. */
  deleteExpiredBefore(time: number): Promise<void>;
}

interface Row {
  recipient_id: string;
  wrapped_dek: Buffer;
  sealed: Buffer;
}

export function createRecipientStore(pool: pg.Pool, party: PartyNumber): RecipientStore {
  const table = `party_${party}.import_recipient`;
  return {
    async find(recipientId) {
      const { rows } = await pool.query<Row>(
        `SELECT recipient_id, wrapped_dek, sealed FROM ${table} WHERE recipient_id = $1`,
        [recipientId],
      );
      const row = rows[0];
      return row && { recipientId, wrappedDek: row.wrapped_dek, sealed: row.sealed };
    },
    async insert({ recipientId, wrappedDek, sealed }, expiresAt) {
      await pool.query(
        `INSERT INTO ${table} (recipient_id, wrapped_dek, sealed, expires_at)
         VALUES ($1, $2, $3, $4)`,
        [recipientId, wrappedDek, sealed, new Date(expiresAt)],
      );
    },
    async deleteExpiredBefore(time) {
      await pool.query(`DELETE FROM ${table} WHERE expires_at < $1`, [new Date(time)]);
    },
  };
}
