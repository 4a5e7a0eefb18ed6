/**
 * Every request asks PostgreSQL or Redis through this. A store that cannot be reached, or is unable to answer, is 504
 * to the caller, never an empty answer. Any other fault is this program's own, and 500.
 */
import { types } from 'node:util';
import pg from 'pg';
import { ApiError } from '../http/public-error.js';

/** Returns the result of `ask`. Throws ApiError `gateway_timeout` while the store is away. */
export async function askStore<Answer>(ask: () => Promise<Answer>): Promise<Answer> {
  try {
    return await ask();
  } catch (cause) {
    if (!isOutage(cause)) throw cause;
    throw new ApiError('gateway_timeout', 'a store cannot be reached', { cause, retryAfterS: 1 });
  }
}

/** A pool, or one of its connections. */
export type Store = Pick<pg.ClientBase, 'query'>;

export function queryStore<Row extends pg.QueryResultRow>(
  store: Store,
  query: string | pg.QueryConfig,
  values?: readonly unknown[],
): Promise<pg.QueryResult<Row>> {
  return askStore(() => store.query<Row>(query, values === undefined ? undefined : [...values]));
}

/**
 * SQLSTATE (PostgreSQL, appendix A): connection exceptions, insufficient resources, server shutdown or start, statement
 * timeout, a standby that takes no writes.
 */
const OUTAGE_STATES = /^(?:08...|53...|57P0.|57014|25006)$/;

/** First word of Redis' error; from inside a script older servers put it after their own. */
const OUTAGE_REPLIES =
  /(?:^|: -)(?:LOADING|READONLY|CLUSTERDOWN|MASTERDOWN|TRYAGAIN|BUSY|OOM|MISCONF|NOREPLICAS) /;

/** Errors of the language itself: the question could not even be sent. */
const OWN_FAULTS = ['TypeError', 'RangeError', 'ReferenceError'];

/** A reply's code tells what is wrong; without a reply the store gave none in time. */
function isOutage(error: unknown): boolean {
  if (error instanceof pg.DatabaseError) return OUTAGE_STATES.test(error.code ?? '');
  if (!types.isNativeError(error) || OWN_FAULTS.includes(error.name)) return false;
  return error.name !== 'ReplyError' || OUTAGE_REPLIES.test(error.message);
}
