import pg from 'pg';
import type { Logger } from './logger.js';

/** A pool whose every wait has an end: connecting, a query, an idle connection that was lost. */
export function openPool(
  connectionString: string,
  max: number,
  logger: Logger,
  queryTimeoutMs = 5_000,
): pg.Pool {
  const pool = new pg.Pool({
    connectionString,
    max,
    connectionTimeoutMillis: 3_000,
    query_timeout: queryTimeoutMs,
    statement_timeout: queryTimeoutMs,
  });
  pool.on('error', (error) =>
    logger.warn({ event: 'postgres_error', reason: error.message }, 'idle connection lost'),
  );
  return pool;
}
