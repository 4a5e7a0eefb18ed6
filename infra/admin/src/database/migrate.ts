import { MIGRATION_TABLE, requireServer } from '@countersign/runtime/process/required-database.js';
import pg from 'pg';
import { First1700000000001 } from './migrations/0001-first.js';
import { Keys1700000000002 } from './migrations/0002-keys.js';
import { Bounds1700000000003 } from './migrations/0003-bounds.js';
import { FailedRequests1700000000004 } from './migrations/0004-failed-requests.js';
import { OneMessage1700000000005 } from './migrations/0005-one-message.js';
import { Alarms1700000000006 } from './migrations/0006-alarms.js';
import { SealPurposes1700000000007 } from './migrations/0007-seal-purposes.js';
import { Limits1700000000008 } from './migrations/0008-limits.js';
import { Webhooks1700000000009 } from './migrations/0009-webhooks.js';
import { RefusedRequests1700000000010 } from './migrations/0010-refused-requests.js';
import { LineOfAHolder1700000000011 } from './migrations/0011-line-of-a-holder.js';
import { LookingBack1700000000014 } from './migrations/0014-looking-back.js';
import { AuditFilters1700000000015 } from './migrations/0015-audit-filters.js';
import { Retention1700000000016 } from './migrations/0016-retention.js';
import { LimitSums1700000000017 } from './migrations/0017-limit-sums.js';
import { MessageTimes1700000000018 } from './migrations/0018-message-times.js';
import { SchemaIsReadable1700000000019 } from './migrations/0019-schema-is-readable.js';

/** `SCHEMA_MIGRATIONS` has their names, for the processes that check them. */
export const MIGRATIONS = [
  First1700000000001,
  Keys1700000000002,
  Bounds1700000000003,
  FailedRequests1700000000004,
  OneMessage1700000000005,
  Alarms1700000000006,
  SealPurposes1700000000007,
  Limits1700000000008,
  Webhooks1700000000009,
  RefusedRequests1700000000010,
  LineOfAHolder1700000000011,
  LookingBack1700000000014,
  AuditFilters1700000000015,
  Retention1700000000016,
  LimitSums1700000000017,
  MessageTimes1700000000018,
  SchemaIsReadable1700000000019,
];

/** Brings the database to the newest schema; run as its owner. Returns the migrations that ran. Throws ConfigError on a server that is too old. */
export async function migrate(databaseUrl: string): Promise<string[]> {
  const known = await ranBefore(databaseUrl);
  if (MIGRATIONS.every(({ name }) => known.has(name))) return [];
  // seldom wanted, and half a second of processor time to load
  const { DataSource } = await import('typeorm');
  const source = new DataSource({
    type: 'postgres',
    url: databaseUrl,
    migrations: MIGRATIONS,
    migrationsTableName: MIGRATION_TABLE,
    logging: false,
  });
  await source.initialize();
  try {
    const ran = await source.runMigrations({ transaction: 'each' });
    return ran.map((migration) => migration.name);
  } finally {
    await source.destroy();
  }
}

/** Names of the migrations that the database says it has. */
async function ranBefore(databaseUrl: string): Promise<ReadonlySet<string>> {
  const client = new pg.Client({ connectionString: databaseUrl });
  await client.connect();
  try {
    await requireServer(client);
    const { rows: tables } = await client.query('SELECT 1 WHERE to_regclass($1) IS NOT NULL', [
      MIGRATION_TABLE,
    ]);
    if (tables.length === 0) return new Set();
    const { rows } = await client.query<{ name: string }>(`SELECT name FROM ${MIGRATION_TABLE}`);
    return new Set(rows.map(({ name }) => name));
  } finally {
    await client.end();
  }
}
