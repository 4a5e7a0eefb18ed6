/**
 * One consistent view of the database for the time of an export: what is written meanwhile does not show in it, so
 * that no chain in an export has a gap.
 */
import { ApiError } from '@countersign/core/errors.js';
import type pg from 'pg';
import { askStore } from '../stores/ask-store.js';

export interface ExportSnapshot {
  readonly client: pg.PoolClient;
  release(): Promise<void>;
}

/** Each takes a connection that the callers' requests then lack. */
const MAX_AT_ONCE = 2;

/** Throws 504 while as many exports are under way as this gateway gives at once, or without the store. */
export function createSnapshots(pool: pg.Pool): () => Promise<ExportSnapshot> {
  let open = 0;
  return async () => {
    if (open >= MAX_AT_ONCE) {
      throw new ApiError('gateway_timeout', 'other exports are under way', { retryAfterS: 10 });
    }
    open += 1;
    try {
      const client = await askStore(() => beginSnapshot(pool));
      return {
        client,
        async release() {
          open -= 1;
          // a connection whose transaction cannot be ended is not used again
          await client.query('COMMIT').then(
            () => client.release(),
            () => client.release(true),
          );
        },
      };
    } catch (error) {
      open -= 1;
      throw error;
    }
  };
}

async function beginSnapshot(pool: pg.Pool): Promise<pg.PoolClient> {
  const client = await pool.connect();
  try {
    await client.query('BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY');
    await client.query('SELECT FROM ledger_entry LIMIT 1'); // the first query takes the snapshot
    return client;
  } catch (error) {
    client.release(true);
    throw error;
  }
}
