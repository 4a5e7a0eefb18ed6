/** Checks, before a process does anything, that its database has the server and the schema that this release needs. */
import type pg from 'pg';
import { ConfigError } from './config.js';

/** Exports and logins bound whole transactions (`transaction_timeout`), which older servers cannot do. */
const OLDEST_SERVER = 17;

/** The table in which `countersign migrate` records the migrations that it ran. */
export const MIGRATION_TABLE = 'countersign_migration';

/** Names of this release's migrations, in their order: each ends with the number that follows the one before. */
export const SCHEMA_MIGRATIONS: readonly string[] = ['ReleaseZero1800000000001'];

/** Every vault from before release zero has it, and no later one. */
const BEFORE_RELEASE_ZERO = 'First1700000000001';

const OLDER_THAN_RELEASE_ZERO =
  'this vault is older than release zero and must be made anew on an empty database: nothing brings it to this release';

const NO_SUCH_TABLE = '42P01';
const NO_RIGHT = '42501';

type Store = Pick<pg.ClientBase, 'query'>;

/** Throws ConfigError, with one sentence, if the server or the schema is not what this release needs. */
export async function requireDatabase(store: Store): Promise<void> {
  const { missing } = await migrationsOf(store);
  if (missing.length > 0) {
    throw new ConfigError(
      `the database's schema is not this release's (it lacks ${missing[0]!}): run countersign migrate`,
    );
  }
}

/**
 * This release's migrations that the database has, and that it lacks. Throws ConfigError if the server is too old, or the
 * schema is another line's or further than that of the next release.
 */
export async function migrationsOf(
  store: Store,
): Promise<Readonly<Record<'has' | 'missing', readonly string[]>>> {
  await requireServer(store);
  const known = await readMigrations(store);
  refuseOlderVault(known);
  const missing = SCHEMA_MIGRATIONS.filter((name) => !known.includes(name));
  const foreign = known.find((name) => !SCHEMA_MIGRATIONS.includes(name) && !isNext(name));
  if (foreign !== undefined) {
    throw new ConfigError(
      `the database's schema is not this release's (it has ${foreign}, which this release does not know): start the release that it belongs to`,
    );
  }
  return { has: SCHEMA_MIGRATIONS.filter((name) => known.includes(name)), missing };
}

/**
 * Whether it is the migration of the release that follows this one. A migration only adds to what the release before it
 * uses (test/migrations-only-add.test.ts), so that this one runs on until its turn in an upgrade comes, and may come back.
 */
function isNext(name: string): boolean {
  return numberOf(name) === numberOf(SCHEMA_MIGRATIONS.at(-1)!) + 1;
}

/** The number at a migration's end: each release that changes the schema has one migration, with the next number. */
function numberOf(name: string): number {
  return Number(/\d+$/.exec(name)?.[0]);
}

/** Throws ConfigError if the server is too old. */
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

/** Throws ConfigError if, by its migrations, the database is of a vault from before release zero. */
export function refuseOlderVault(known: readonly string[]): void {
  if (known.includes(BEFORE_RELEASE_ZERO)) throw new ConfigError(OLDER_THAN_RELEASE_ZERO);
}

async function readMigrations(store: Store): Promise<readonly string[]> {
  try {
    const { rows } = await store.query<{ name: string }>(`SELECT name FROM ${MIGRATION_TABLE}`);
    return rows.map(({ name }) => name);
  } catch (error) {
    const { code } = error as { code?: unknown };
    if (code === NO_SUCH_TABLE) return [];
    if (code === NO_RIGHT) return (await hasLedger(store)) ? [BEFORE_RELEASE_ZERO] : [];
    throw error;
  }
}

/** Since release zero, one transaction adds the ledger and the right to read the migrations. */
async function hasLedger(store: Store): Promise<boolean> {
  const { rows } = await store.query<{ has: boolean }>(
    `SELECT to_regclass('public.ledger_entry') IS NOT NULL AS has`,
  );
  return rows[0]!.has;
}
