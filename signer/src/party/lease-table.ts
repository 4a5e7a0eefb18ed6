/**
 * Leases of one holder, which is this process until it ends. They are rows in the party's own schema, where no other
 * role can hold them, and expire by the database's clock. That may have been ahead when a holder was killed, so a row
 * is free, too, once whoever wants it has seen it unchanged for as long as a lease lasts.
 */
import { randomUUID } from 'node:crypto';
import { BoundedMap } from '@countersign/core/bounded-map.js';
import type { PartyNumber } from '@countersign/core/parties.js';
import type pg from 'pg';

export interface LeaseTable {
  /** Whether the holder has the name from now on, for as long as a lease lasts. */
  take(name: string): Promise<boolean>;
  /** If a renewal fails, the next makes up for it. */
  renew(names: readonly string[]): Promise<void>;
  /** A lease that cannot be given back expires. */
  giveBack(names: readonly string[]): Promise<void>;
}

/** Rows of others that are noted: more than a party has names. */
const MAX_NOTED = 10_000;

interface NotedRow {
  /** Its holder and when it expires: each renewal changes it. */
  readonly row: string;
  /** ms, by the monotonic clock. */
  readonly since: number;
}

/** `elapsed`: this process's own monotonic clock, ms. */
export function createLeaseTable(
  pool: Pick<pg.Pool, 'query'>,
  party: PartyNumber,
  leaseMs: number,
  elapsed: () => number = () => performance.now(),
): LeaseTable {
  const table = `party_${party}.key_lease`;
  const holder = randomUUID();
  const expiry = `clock_timestamp() + $1::int * interval '1 millisecond'`;
  const rowText = `concat_ws(' ', lease.holder, extract(epoch FROM lease.expires_at))`;
  const isUnchanged = noteRows(leaseMs, elapsed);

  async function rowOf(name: string): Promise<string | undefined> {
    const { rows } = await pool.query<{ row: string }>(
      `SELECT ${rowText} AS row FROM ${table} AS lease WHERE name = $1`,
      [name],
    );
    return rows[0]?.row;
  }

  /** Takes the name from nobody, from a holder whose lease is over, or from one whose row is `dead`. */
  async function claim(name: string, dead: string | null): Promise<boolean> {
    const { rowCount } = await pool.query(
      `INSERT INTO ${table} AS lease (name, holder, expires_at) VALUES ($3, $2, ${expiry})
       ON CONFLICT (name) DO UPDATE SET holder = excluded.holder, expires_at = excluded.expires_at
         WHERE lease.holder = excluded.holder OR lease.expires_at < clock_timestamp() OR ${rowText} = $4`,
      [leaseMs, holder, name, dead],
    );
    return rowCount === 1;
  }

  return {
    async take(name) {
      if (await claim(name, null)) return true;
      const row = await rowOf(name);
      return row !== undefined && isUnchanged(name, row) && claim(name, row);
    },
    async renew(names) {
      await pool
        .query(`UPDATE ${table} SET expires_at = ${expiry} WHERE holder = $2 AND name = ANY ($3)`, [
          leaseMs,
          holder,
          names,
        ])
        .catch(() => undefined);
    },
    async giveBack(names) {
      await pool
        .query(`DELETE FROM ${table} WHERE holder = $1 AND name = ANY ($2)`, [holder, names])
        .catch(() => undefined);
    },
  };
}

/** Returns whether the row of a name has been the same for as long as a lease lasts. */
function noteRows(leaseMs: number, elapsed: () => number): (name: string, row: string) => boolean {
  const noted = new BoundedMap<string, NotedRow>(MAX_NOTED);
  return (name, row) => {
    const known = noted.get(name);
    if (known?.row === row) return elapsed() - known.since >= leaseMs;
    noted.put(name, { row, since: elapsed() });
    return false;
  };
}
