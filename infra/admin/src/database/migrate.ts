import {
  MIGRATION_TABLE,
  refuseOlderVault,
  requireServer,
} from '@countersign/runtime/process/required-database.js';
import pg from 'pg';
import { ReleaseZero1800000000001 } from './migrations/0001-release-zero.js';

/** `SCHEMA_MIGRATIONS` has their names, for the processes that check them. */
export const MIGRATIONS = [ReleaseZero1800000000001];

/**
 * Brings the database to the newest schema; run as its owner. Returns the migrations that ran. Throws ConfigError on a server
 * that is too old, and where the database is of a vault from before release zero.
 */
export async function migrate(databaseUrl: string, migrations = MIGRATIONS): Promise<string[]> {
  const known = await ranBefore(databaseUrl);
  refuseOlderVault(known);
  if (migrations.every(({ name }) => known.includes(name))) return [];
  // seldom wanted, and half a second of processor time to load
  const { DataSource } = await import('typeorm');
  const source = new DataSource({
    type: 'postgres',
    url: databaseUrl,
    migrations,
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
async function ranBefore(databaseUrl: string): Promise<readonly string[]> {
  const client = new pg.Client({ connectionString: databaseUrl });
  await client.connect();
  try {
    await requireServer(client);
    const { rows: tables } = await client.query('SELECT 1 WHERE to_regclass($1) IS NOT NULL', [
      MIGRATION_TABLE,
    ]);
    if (tables.length === 0) return [];
    const { rows } = await client.query<{ name: string }>(`SELECT name FROM ${MIGRATION_TABLE}`);
    return rows.map(({ name }) => name);
  } finally {
    await client.end();
  }
}
