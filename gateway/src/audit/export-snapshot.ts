/**
 * Holds one consistent view of the database during an export: later writes do not appear in it, so no exported chain
 * has a gap.
 */
import type pg from 'pg';
import { askStore } from '../stores/ask-store.js';
import { ApiError } from '../http/public-error.js';

export interface ExportSnapshot {
  readonly client: pg.PoolClient;
  release(): Promise<void>;
}

/** Each takes a connection away from the callers' requests. */
const MAX_AT_ONCE = 2;

/** Throws 504 without the store, or while this gateway runs as many exports as it may. */
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
          await endSnapshot(client).then(
            () => giveBack(client),
            () => giveBack(client, true),
          );
        },
      };
    } catch (error) {
      open -= 1;
      throw error;
    }
  };
}

/**
 * A login's default limits suit requests of seconds. An export takes as long as its reader, who may take nothing for a
 * minute. The total is bounded: rows that are deleted meanwhile stay in the database until it ends.
 */
const LONGEST = {
  transaction_timeout: '30min',
  idle_in_transaction_session_timeout: '2min',
} as const;

const BEGIN = [
  ...Object.entries(LONGEST).map(([name, value]) => `SET ${name} = '${value}'`),
  'BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY',
];
const END = ['COMMIT', ...Object.keys(LONGEST).map((name) => `RESET ${name}`)];

async function beginSnapshot(pool: pg.Pool): Promise<pg.PoolClient> {
  const client = await pool.connect();
  client.on('error', ignore);
  try {
    for (const statement of BEGIN) await client.query(statement);
    await client.query('SELECT FROM ledger_entry LIMIT 1'); // the first query takes the snapshot
    return client;
  } catch (error) {
    giveBack(client, true);
    throw error;
  }
}

async function endSnapshot(client: pg.PoolClient): Promise<void> {
  for (const statement of END) await client.query(statement);
}

/** A connection that breaks between two queries emits an error; the next query rejects, which ends the export. */
function ignore(): void {}

function giveBack(client: pg.PoolClient, isBroken = false): void {
  client.off('error', ignore);
  client.release(isBroken);
}
