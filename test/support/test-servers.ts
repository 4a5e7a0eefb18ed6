/** A database and a Redis of its own for each test file, on the run's one PostgreSQL. */
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { randomBytes } from 'node:crypto';
import { join } from 'node:path';
import pg from 'pg';
import { openEmbeddedRedis, type EmbeddedRedis } from '../../infra/dev/dist/embedded/redis.js';
import type { RoleName } from '../../infra/admin/dist/database/role-logins.js';

/** The schema alone, and a vault's: with the genesis of {@link preparedFolder}. */
export const TEMPLATES = { empty: 'countersign_template', vault: 'countersign_template_vault' };

/** Keys, genesis and first administrator of the vault that the template is of. Every vault of a run begins as a copy of them. */
export const preparedFolder = (runHome: string): string => join(runHome, 'prepared');

export interface TestServers {
  readonly home: string;
  readonly ownerUrl: string;
  readonly roleUrls: Readonly<Record<RoleName, string>>;
  readonly redis: EmbeddedRedis;
  /** A copy of the database as it is at this moment, as a backup has it. */
  backUp(): Promise<DatabaseBackup>;
  close(): Promise<void>;
}

export interface DatabaseBackup {
  /** Puts it in the place of the database: whoever is connected is cut off, and finds it again under the same address. */
  restore(): Promise<void>;
}

export async function openTestServers(
  template: keyof typeof TEMPLATES = 'empty',
): Promise<TestServers> {
  const runHome = requireEnv('COUNTERSIGN_TEST_HOME');
  const clusterUrl = requireEnv('COUNTERSIGN_TEST_DATABASE_URL');
  const home = mkdtempSync(join(runHome, 'vault-'));
  const database = `countersign_${randomBytes(6).toString('hex')}`;
  const copies: string[] = [];
  await onCluster(clusterUrl, `CREATE DATABASE ${database} TEMPLATE ${TEMPLATES[template]}`);
  const redis = await openEmbeddedRedis({
    dataDir: join(home, 'redis'),
    packagesDir: requireEnv('COUNTERSIGN_TEST_PACKAGES'),
  });
  const ownerUrl = urlOf(clusterUrl, database);
  const roleUrls = roleUrlsOf(clusterUrl, database, rolePasswords(runHome));
  return {
    home,
    ownerUrl,
    roleUrls,
    redis,
    async backUp() {
      const backup = `${database}_backup`;
      await copyDatabase(clusterUrl, database, backup);
      copies.push(backup);
      return {
        async restore() {
          await onCluster(clusterUrl, `DROP DATABASE ${database} WITH (FORCE)`);
          await copyDatabase(clusterUrl, backup, database);
        },
      };
    },
    async close() {
      await redis.stop();
      for (const each of [database, ...copies]) {
        await onCluster(clusterUrl, `DROP DATABASE ${each} WITH (FORCE)`);
      }
      rmSync(home, { recursive: true, force: true });
    },
  };
}

type RolePasswords = Readonly<Record<RoleName, string>>;

/** Roles belong to the server, whatever the database. */
export function rolePasswords(runHome: string): RolePasswords {
  return JSON.parse(readFileSync(join(runHome, 'role-passwords.json'), 'utf8')) as RolePasswords;
}

export function roleUrlsOf(
  clusterUrl: string,
  database: string,
  passwords: RolePasswords,
): Record<RoleName, string> {
  return Object.fromEntries(
    Object.entries(passwords).map(([role, password]) => [
      role,
      urlOf(clusterUrl, database, `countersign_${role}`, password),
    ]),
  ) as Record<RoleName, string>;
}

/** Nobody may be connected to what is copied: whoever is cannot come back before it is done. */
async function copyDatabase(clusterUrl: string, from: string, to: string): Promise<void> {
  await onCluster(
    clusterUrl,
    `ALTER DATABASE ${from} ALLOW_CONNECTIONS false`,
    `SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = '${from}'`,
    `CREATE DATABASE ${to} TEMPLATE ${from}`,
    `ALTER DATABASE ${from} ALLOW_CONNECTIONS true`,
  );
}

export async function onCluster(clusterUrl: string, ...statements: string[]): Promise<void> {
  const client = new pg.Client({ connectionString: clusterUrl });
  await client.connect();
  try {
    for (const statement of statements) await client.query(statement);
  } finally {
    await client.end();
  }
}

function urlOf(clusterUrl: string, database: string, user?: string, password?: string): string {
  const url = new URL(clusterUrl);
  url.pathname = `/${database}`;
  if (user !== undefined) url.username = user;
  if (password !== undefined) url.password = password;
  return url.toString();
}

/** What the run's global setup has told of its servers. */
export function requireEnv(name: string): string {
  const value = process.env[name];
  if (value === undefined) {
    throw new Error(
      `${name} is not set: run by npm test, and where jest.config.mjs looks for tests that need servers`,
    );
  }
  return value;
}
