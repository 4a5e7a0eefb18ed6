import { ApiError } from '@countersign/core/errors.js';
import type pg from 'pg';

/** Rows of a query; a store that does not answer is 504, never an empty answer. */
export async function queryStore<Row extends pg.QueryResultRow>(
  pool: pg.Pool,
  text: string,
  values: readonly unknown[],
): Promise<pg.QueryResult<Row>> {
  try {
    return await pool.query<Row>(text, [...values]);
  } catch (cause) {
    throw new ApiError('gateway_timeout', 'a store cannot be reached', { cause, retryAfterS: 1 });
  }
}
