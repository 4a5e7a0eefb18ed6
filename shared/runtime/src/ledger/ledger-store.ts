import type pg from 'pg';
import type { EntryRow } from '@countersign/vault/ledger/entry.js';

export interface LedgerStore {
  /**
   * Rows after `seq`, in order: at most `limit`, and at most `maxBytes` of bodies in all (no bound unless
   * given), but always one if there is any. With `maxBytes` a page may be short of `limit` in the middle
   * of the log: only an empty one says that nothing follows.
   */
  readAfter(seq: number, limit: number, maxBytes?: number): Promise<EntryRow[]>;
  /**
   * Appends in order; the database gives sequence number and hash, the fold checks both. More than the
   * database takes at once goes in several calls: others may append in between, and when a later one
   * fails the earlier ones stay appended. Rejects when a body is longer than the database allows.
   */
  append(bodies: readonly Uint8Array[]): Promise<EntryRow[]>;
}

/** Bounds of one call of `countersign_append`: entries, and bytes of their bodies. */
const MAX_CALL_ENTRIES = 64;
const MAX_CALL_BYTES = 4 * 1024 * 1024;

/** The bodies that are not returned are not read either: their lengths are stored beside them. */
const READ_AFTER = `
  WITH sized AS (
    SELECT seq, octet_length(body)::bigint AS size FROM ledger_entry
    WHERE seq > $1 ORDER BY seq LIMIT $2
  ), summed AS (
    SELECT seq, size, sum(size) OVER (ORDER BY seq) AS total FROM sized
  )
  SELECT seq, prev_hash, hash, body FROM ledger_entry
  WHERE seq > $1 AND seq <= (SELECT max(seq) FROM summed WHERE total <= $3 OR total = size)
  ORDER BY seq`;

interface HeadRow {
  seq: string;
  prev_hash: Buffer;
  hash: Buffer;
}

export function createLedgerStore(pool: pg.Pool): LedgerStore {
  async function appendAtOnce(bodies: readonly Uint8Array[]): Promise<EntryRow[]> {
    const { rows } = await pool.query<HeadRow>({
      name: 'ledger_append',
      text: 'SELECT seq, prev_hash, hash FROM countersign_append($1::bytea[])',
      values: [bodies],
    });
    return rows.map((row, index) => toEntryRow(row, bodies[index]!));
  }

  return {
    async readAfter(seq, limit, maxBytes = Number.MAX_SAFE_INTEGER) {
      const { rows } = await pool.query<HeadRow & { body: Buffer }>({
        name: 'ledger_read_after',
        text: READ_AFTER,
        values: [seq, limit, maxBytes],
      });
      return rows.map((row) => toEntryRow(row, row.body));
    },
    async append(bodies) {
      const appended: EntryRow[] = [];
      for (const call of splitIntoCalls(bodies)) appended.push(...(await appendAtOnce(call)));
      return appended;
    },
  };
}

function splitIntoCalls(bodies: readonly Uint8Array[]): Uint8Array[][] {
  const calls: Uint8Array[][] = [];
  let room = 0;
  for (const body of bodies) {
    room -= body.length;
    const call = calls.at(-1);
    if (call !== undefined && room >= 0 && call.length < MAX_CALL_ENTRIES) {
      call.push(body);
    } else {
      calls.push([body]);
      room = MAX_CALL_BYTES - body.length;
    }
  }
  return calls;
}

function toEntryRow(row: HeadRow, body: Uint8Array): EntryRow {
  return { seq: Number(row.seq), prevHash: row.prev_hash, hash: row.hash, body };
}
