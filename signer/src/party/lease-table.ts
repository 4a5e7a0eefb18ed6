/**
 * Leases of one holder, which is this process until it ends. They are rows in the party's own schema, where no other
 * role can hold them, and expire by the database's clock.
 */
import { randomUUID } from 'node:crypto';
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

export function createLeaseTable(
  pool: Pick<pg.Pool, 'query'>,
  party: PartyNumber,
  leaseMs: number,
): LeaseTable {
  const table = `party_${party}.key_lease`;
  const holder = randomUUID();
  const expiry = `clock_timestamp() + $1::int * interval '1 millisecond'`;
  return {
    async take(name) {
      const { rowCount } = await pool.query(
        `INSERT INTO ${table} AS lease (name, holder, expires_at) VALUES ($3, $2, ${expiry})
         ON CONFLICT (name) DO UPDATE SET holder = excluded.holder, expires_at = excluded.expires_at
           WHERE lease.holder = excluded.holder OR lease.expires_at < clock_timestamp()`,
        [leaseMs, holder, name],
      );
      return rowCount === 1;
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
