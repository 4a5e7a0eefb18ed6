/**
 * Takes away what callers asked for and what came of it, once it is old: accepted requests, results, and idempotency keys.
 * A vault signs nothing a second time for that: a request is refused for its age long before, and each party keeps which
 * message it gave for it (`request_message`). Audit records stay, but the receipts of signatures are in the results: what
 * is to be proven later is exported first (`countersign audit export`).
 */
import pg from 'pg';
import { MIN_DAYS } from './retention.js';

const DAY_MS = 86_400_000;
/** Rows that leave in one transaction, about: a minute's may be more. */
const ROWS_AT_ONCE = 10_000;

/** Rows of each table. */
export type Removed = Readonly<Record<(typeof KEPT_BY_TIME)[number]['table'], number>>;

export interface RemovalOptions {
  /** At least `MIN_DAYS`. */
  readonly olderThanDays: number;
  /** Counts, and takes nothing away. */
  readonly dryRun: boolean;
  /** ms */
  readonly now: number;
}

/** `longerMinutes`: the evidence of a batch outlives what refers to it, which is written within its time to live. */
const KEPT_BY_TIME = [
  { table: 'signing_request', time: 'expires_at', longerMinutes: 0 },
  { table: 'request_result', time: 'completed_at', longerMinutes: 0 },
  { table: 'batch_evidence', time: 'written_at', longerMinutes: 2 },
  { table: 'promised_request', time: 'created_at', longerMinutes: 0 },
  { table: 'idempotency_key', time: 'created_at', longerMinutes: 0 },
] as const;

type KeptByTime = (typeof KEPT_BY_TIME)[number];

/** From one time to the next, in whole minutes since 1970. */
interface Window {
  readonly from: number;
  readonly to: number;
  readonly rows: number;
}

/** `databaseUrl`: the owner's. Throws RangeError below `MIN_DAYS`; what was taken away by then stays away if the database fails. */
export async function removeOldRequests(
  databaseUrl: string,
  { olderThanDays, dryRun, now }: RemovalOptions,
): Promise<Removed> {
  if (!Number.isInteger(olderThanDays) || olderThanDays < MIN_DAYS) {
    throw new RangeError(`at least ${MIN_DAYS} days, a whole number`);
  }
  const before = Math.floor((now - olderThanDays * DAY_MS) / 60_000);
  const owner = new pg.Client({ connectionString: databaseUrl });
  await owner.connect();
  try {
    const removed: Record<string, number> = {};
    for (const kept of KEPT_BY_TIME) {
      const windows = await findWindows(owner, kept, before - kept.longerMinutes);
      removed[kept.table] = windows.reduce((sum, { rows }) => sum + rows, 0);
      if (!dryRun) for (const window of windows) await removeWindow(owner, kept, window);
    }
    return removed as Removed;
  } finally {
    await owner.end();
  }
}

/** The table is read once; each window is then found by its index. */
async function findWindows(
  owner: pg.Client,
  { table, time }: KeptByTime,
  before: number,
): Promise<Window[]> {
  const { rows } = await owner.query<{ minute: string; rows: string }>(
    `SELECT floor(extract(epoch FROM ${time}) / 60)::bigint AS minute, count(*) AS rows
     FROM ${table} WHERE ${time} < to_timestamp($1::bigint * 60) GROUP BY 1 ORDER BY 1`,
    [before],
  );
  const windows: Window[] = [];
  for (const row of rows) {
    const minute = { from: Number(row.minute), to: Number(row.minute) + 1, rows: Number(row.rows) };
    const last = windows.at(-1);
    if (last === undefined || last.rows + minute.rows > ROWS_AT_ONCE) windows.push(minute);
    else windows.splice(-1, 1, { ...minute, from: last.from, rows: last.rows + minute.rows });
  }
  return windows;
}

async function removeWindow(
  owner: pg.Client,
  { table, time }: KeptByTime,
  { from, to }: Window,
): Promise<void> {
  await owner.query('BEGIN');
  try {
    await owner.query("SET LOCAL countersign.retention = 'on'");
    await owner.query(
      `DELETE FROM ${table} WHERE ${time} >= to_timestamp($1::bigint * 60)
         AND ${time} < to_timestamp($2::bigint * 60)`,
      [from, to],
    );
    await owner.query('COMMIT');
  } catch (error) {
    await owner.query('ROLLBACK');
    throw error;
  }
}
