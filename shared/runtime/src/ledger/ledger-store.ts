import type pg from 'pg';
import type { EntryRow } from '@countersign/vault/ledger/entry.js';

export interface LedgerStore {
  /** Up to `limit` rows after `seq`, in order. */
  readAfter(seq: number, limit: number, maxBytes?: number): Promise<EntryRow[]>;
  /** Appends in order; the database gives sequence number and hash, the fold checks both. */
  append(bodies: readonly Uint8Array[]): Promise<EntryRow[]>;
}

interface Row {
  seq: string;
  prev_hash: Buffer;
  hash: Buffer;
  body: Buffer;
}

export function createLedgerStore(pool: pg.Pool): LedgerStore {
  return {
    async readAfter(seq, limit) {
      const { rows } = await pool.query<Row>({
        name: 'ledger_read_after',
        text: 'SELECT seq, prev_hash, hash, body FROM ledger_entry WHERE seq > $1 ORDER BY seq LIMIT $2',
        values: [seq, limit],
      });
      return rows.map(toEntryRow);
    },
    async append(bodies) {
      const { rows } = await pool.query<Row>({
        name: 'ledger_append',
        text:
          'INSERT INTO ledger_entry (body) SELECT body FROM unnest($1::bytea[]) ' +
          'WITH ORDINALITY AS given (body, position) ORDER BY position ' +
          'RETURNING seq, prev_hash, hash, body',
        values: [bodies],
      });
      return rows.map(toEntryRow);
    },
  };
}

function toEntryRow(row: Row): EntryRow {
  return { seq: Number(row.seq), prevHash: row.prev_hash, hash: row.hash, body: row.body };
}
