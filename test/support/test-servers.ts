/** A database and a Redis of its own for each test file, on the run's one PostgreSQL. */
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { randomBytes } from 'node:crypto';
import { join } from 'node:path';
import pg from 'pg';
import { openEmbeddedRedis, type EmbeddedRedis } from '../../infra/dev/dist/embedded/redis.js';
import type { RoleName } from '../../infra/admin/dist/database/role-logins.js';

export const TEMPLATE = 'countersign_template';

export interface TestServers {
  readonly home: string;
  readonly ownerUrl: string;
  readonly roleUrls: Readonly<Record<RoleName, string>>;
  readonly redis: EmbeddedRedis;
  close(): Promise<void>;
}

export async function openTestServers(): Promise<TestServers> {
  const runHome = requireEnv('COUNTERSIGN_TEST_HOME');
  const clusterUrl = requireEnv('COUNTERSIGN_TEST_DATABASE_URL');
  const home = mkdtempSync(join(runHome, 'vault-'));
  const database = `countersign_${randomBytes(6).toString('hex')}`;
  await onCluster(clusterUrl, `CREATE DATABASE ${database} TEMPLATE ${TEMPLATE}`);
  const redis = await openEmbeddedRedis({
    dataDir: join(home, 'redis'),
    packagesDir: requireEnv('COUNTERSIGN_TEST_PACKAGES'),
  });
  const ownerUrl = urlOf(clusterUrl, database);
  const passwords = JSON.parse(
    readFileSync(join(runHome, 'role-passwords.json'), 'utf8'),
  ) as Record<RoleName, string>;
  const roleUrls = Object.fromEntries(
    Object.entries(passwords).map(([role, password]) => [
      role,
      urlOf(clusterUrl, database, `countersign_${role}`, password),
    ]),
  ) as Record<RoleName, string>;
  return {
    home,
    ownerUrl,
    roleUrls,
    redis,
    async close() {
      await redis.stop();
      await onCluster(clusterUrl, `DROP DATABASE ${database} WITH (FORCE)`);
      rmSync(home, { recursive: true, force: true });
    },
  };
}

async function onCluster(clusterUrl: string, statement: string): Promise<void> {
  const client = new pg.Client({ connectionString: clusterUrl });
  await client.connect();
  try {
    await client.query(statement);
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
