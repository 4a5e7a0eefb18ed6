/** What every process asks of its database before it does anything: the server and the schema that this release needs. */
import type pg from 'pg';
import { ConfigError } from './config.js';

/** Exports and logins bound whole transactions (`transaction_timeout`), which older servers cannot. */
const OLDEST_SERVER = 17;

/** The table in which `countersign migrate` writes down what it has run. */
export const MIGRATION_TABLE = 'countersign_migration';

/** Names of this release's migrations, in their order. */
export const SCHEMA_MIGRATIONS: readonly string[] = [
  'First1700000000001',
  'Keys1700000000002',
  'Bounds1700000000003',
  'FailedRequests1700000000004',
  'OneMessage1700000000005',
  'Alarms1700000000006',
  'SealPurposes1700000000007',
  'Limits1700000000008',
  'Webhooks1700000000009',
  'RefusedRequests1700000000010',
  'LineOfAHolder1700000000011',
  'LookingBack1700000000014',
  'AuditFilters1700000000015',
  'Retention1700000000016',
  'LimitSums1700000000017',
  'MessageTimes1700000000018',
  'SchemaIsReadable1700000000019',
];

/** No such table; or one of a schema in which this login may not read it yet. */
const NO_MIGRATIONS = ['42P01', '42501'];

type Store = Pick<pg.ClientBase, 'query'>;

/** Throws ConfigError, with one sentence, where the server or the schema is not what this release needs. */
export async function requireDatabase(store: Store): Promise<void> {
  await requireServer(store);
  const known = await readMigrations(store);
  const missing = SCHEMA_MIGRATIONS.filter((name) => !known.includes(name));
  if (missing.length > 0) {
    throw new ConfigError(
      `the database's schema is not this release's (it lacks ${missing[0]!}): run countersign migrate`,
    );
  }
  const foreign = known.find((name) => !SCHEMA_MIGRATIONS.includes(name));
  if (foreign !== undefined) {
    throw new ConfigError(
      `the database's schema is not this release's (it has ${foreign}, which this release does not know): start the release that it belongs to`,
    );
  }
}

/** Throws ConfigError where the server is too old. */
export async function requireServer(store: Store): Promise<void> {
  const { rows } = await store.query<{ number: number; text: string }>(
    `SELECT current_setting('server_version_num')::int AS number, current_setting('server_version') AS text`,
  );
  const { number, text } = rows[0]!;
  if (Math.floor(number / 10_000) >= OLDEST_SERVER) return;
  throw new ConfigError(
    `the database server is PostgreSQL ${text}, and this release needs PostgreSQL ${OLDEST_SERVER} or newer`,
  );
}

async function readMigrations(store: Store): Promise<readonly string[]> {
  try {
    const { rows } = await store.query<{ name: string }>(`SELECT name FROM ${MIGRATION_TABLE}`);
    return rows.map(({ name }) => name);
  } catch (error) {
    const { code } = error as { code?: unknown };
    if (typeof code === 'string' && NO_MIGRATIONS.includes(code)) return [];
    throw error;
  }
}
