import pg from 'pg';
import type { Logger } from './logger.js';

/**
 * A pool whose every wait has an end: connecting, a query, an idle connection that was lost. It keeps connections that
 * it opened: whoever finds none idle waits for a new one, which takes seconds while everything is in use.
 */
export function openPool(
  connectionString: string,
  max: number,
  logger: Logger,
  queryTimeoutMs = 5_000,
): pg.Pool {
  const pool = new pg.Pool({
    connectionString,
    max,
    idleTimeoutMillis: 0,
    keepAlive: true,
    keepAliveInitialDelayMillis: 10_000,
    connectionTimeoutMillis: 3_000,
    query_timeout: queryTimeoutMs,
    statement_timeout: queryTimeoutMs,
  });
  pool.on('error', (error) =>
    logger.warn({ event: 'postgres_error', reason: error.message }, 'idle connection lost'),
  );
  return pool;
}
