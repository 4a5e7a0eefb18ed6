/** Reads from PostgreSQL what the hashes of ledger entries cover, a few at a time: each may be large. */
import { toHex } from '@countersign/core/bytes.js';
import { queryStore, type Store } from '../stores/ask-store.js';

export interface LedgerBodies {
  /** Finds them by sequence number. */
  find(seqs: readonly number[]): Promise<ReadonlyMap<number, Buffer>>;
  /** Up to `limit` entries between two others, both exclusive, the highest first. */
  readBetween(after: number, before: number, limit: number): Promise<LedgerBody[]>;
}

export interface LedgerBody {
  readonly seq: number;
  /** Hex. */
  readonly prevHash: string;
  /** Hex. */
  readonly hash: string;
  readonly body: Buffer;
}

export function createLedgerBodies(store: Store): LedgerBodies {
  return {
    async find(seqs) {
      if (seqs.length === 0) return new Map();
      const { rows } = await queryStore<{ seq: string; body: Buffer }>(
        store,
        'SELECT seq, body FROM ledger_entry WHERE seq = ANY($1::bigint[])',
        [seqs],
      );
      return new Map(rows.map(({ seq, body }) => [Number(seq), body]));
    },
    async readBetween(after, before, limit) {
      const { rows } = await queryStore<{
        seq: string;
        prev_hash: Buffer;
        hash: Buffer;
        body: Buffer;
      }>(
        store,
        `SELECT seq, prev_hash, hash, body FROM ledger_entry WHERE seq > $1 AND seq < $2
         ORDER BY seq DESC LIMIT $3`,
        [after, before, limit],
      );
      return rows.map((row) => ({
        seq: Number(row.seq),
        prevHash: toHex(row.prev_hash),
        hash: toHex(row.hash),
        body: row.body,
      }));
    },
  };
}
