import type pg from 'pg';
import { queryStore } from '../stores/ask-store.js';

/** The bodies of ledger entries by their sequence numbers: what their hashes cover. A few at a time: each may be large. */
export type FindLedgerBodies = (seqs: readonly number[]) => Promise<ReadonlyMap<number, Buffer>>;

export function createFindLedgerBodies(pool: pg.Pool): FindLedgerBodies {
  return async (seqs) => {
    if (seqs.length === 0) return new Map();
    const { rows } = await queryStore<{ seq: string; body: Buffer }>(
      pool,
      'SELECT seq, body FROM ledger_entry WHERE seq = ANY($1::bigint[])',
      [seqs],
    );
    return new Map(rows.map(({ seq, body }) => [Number(seq), body]));
  };
}
