/** What PostgreSQL and Redis were made to do, beside the processor time that it took them. */
import { Redis } from 'ioredis';
import pg from 'pg';

export interface ServerWork {
  /** Those inside scripts too. */
  readonly redisCommands: number;
  readonly walBytes: number;
  /**
   * Of the write-ahead log. A backend tells its statistics once a second at most, so that a second of them may be missing
   * or too many: little of a longer run.
   */
  readonly walFsyncs: number;
  readonly commits: number;
}

export interface WorkReader {
  /** All since the servers started. */
  read(): Promise<ServerWork>;
  close(): Promise<void>;
}

interface DatabaseRow {
  readonly wal_bytes: string;
  readonly wal_fsyncs: string;
  readonly commits: string;
}

const IO_STATISTICS_SINCE = 180_000;

/** Both views are of the whole server: https://www.postgresql.org/docs/current/monitoring-stats.html */
function databaseQuery(version: number): string {
  const fsyncs =
    version >= IO_STATISTICS_SINCE
      ? "(SELECT coalesce(sum(fsyncs), 0) FROM pg_stat_io WHERE object = 'wal')"
      : '(SELECT wal_sync FROM pg_stat_wal)';
  return `SELECT pg_wal_lsn_diff(pg_current_wal_insert_lsn(), '0/0') AS wal_bytes,
    ${fsyncs} AS wal_fsyncs,
    (SELECT coalesce(sum(xact_commit), 0) FROM pg_stat_database) AS commits`;
}

export async function openWorkReader(urls: {
  readonly databaseUrl: string;
  readonly redisUrl: string;
}): Promise<WorkReader> {
  const redis = new Redis(urls.redisUrl);
  const database = new pg.Client({ connectionString: urls.databaseUrl });
  await database.connect();
  const { rows: settings } = await database.query<{ version: string }>(
    "SELECT current_setting('server_version_num') AS version",
  );
  const query = databaseQuery(Number(settings[0]?.version));
  return {
    async read() {
      const [info, { rows }] = await Promise.all([
        redis.info('commandstats'),
        database.query<DatabaseRow>(query),
      ]);
      const row = rows[0]!;
      return {
        redisCommands: commandsIn(info),
        walBytes: Number(row.wal_bytes),
        walFsyncs: Number(row.wal_fsyncs),
        commits: Number(row.commits),
      };
    },
    async close() {
      redis.disconnect();
      await database.end();
    },
  };
}

/** Lines such as `cmdstat_hmget:calls=12,usec=34,...`, but the reading's own. */
function commandsIn(info: string): number {
  const counts = [...info.matchAll(/^cmdstat_(?!info:)[^:\r\n]+:calls=(\d+)/gm)];
  return counts.reduce((sum, [, calls]) => sum + Number(calls), 0);
}

export function workBetween(before: ServerWork, after: ServerWork): ServerWork {
  return {
    redisCommands: after.redisCommands - before.redisCommands,
    walBytes: after.walBytes - before.walBytes,
    walFsyncs: after.walFsyncs - before.walFsyncs,
    commits: after.commits - before.commits,
  };
}

export function sumOfWork(works: readonly ServerWork[]): ServerWork {
  const total = (of: (work: ServerWork) => number) =>
    works.reduce((sum, work) => sum + of(work), 0);
  return {
    redisCommands: total(({ redisCommands }) => redisCommands),
    walBytes: total(({ walBytes }) => walBytes),
    walFsyncs: total(({ walFsyncs }) => walFsyncs),
    commits: total(({ commits }) => commits),
  };
}
