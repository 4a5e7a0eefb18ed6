/** Programs that start on a database of another release: each says so in one sentence, and none serves. */
import { afterAll, beforeAll, expect, it, jest } from '@jest/globals';
import { migrate } from '@countersign/admin/database/migrate.js';
import { SCHEMA_MIGRATIONS } from '@countersign/runtime/process/required-database.js';
import {
  startGateway,
  startNotifier,
  startSigner,
  type StackOptions,
} from '../infra/dev/dist/stack/open-stack.js';
import type { VaultProcess } from '../infra/dev/dist/stack/vault-process.js';
import { openPrepared } from './support/prepared-vault.ts';
import { query } from './support/signing-load.ts';
import { openTestServers, type TestServers } from './support/test-servers.ts';

jest.setTimeout(120_000);

let servers: TestServers;
let options: StackOptions;

beforeAll(async () => {
  servers = await openTestServers('vault');
  const vault = await openPrepared(servers);
  options = { vault, redisUrl: servers.redis.url, logLevel: 'info' };
}, 60_000);

afterAll(() => servers?.close(), 60_000);

/** Why the program did not start; undefined where it did. */
async function faultOf(start: () => Promise<VaultProcess>): Promise<string | undefined> {
  try {
    await (await start()).stop();
    return undefined;
  } catch (error) {
    return (error as Error).message;
  }
}

const PROGRAMS: readonly (readonly [string, () => Promise<VaultProcess>])[] = [
  ['gateway', () => startGateway(options, 0, 'gateway')],
  ['signer', () => startSigner(options, 1)],
  ['notifier', () => startNotifier(options)],
];

it.each(PROGRAMS)('the %s of this release starts on its schema', async (_name, start) => {
  expect(await faultOf(start)).toBeUndefined();
});

it.each(PROGRAMS)('the %s says that an older schema is to be migrated', async (name, start) => {
  const { ownerUrl } = servers;
  const newest = `(SELECT max(id) FROM countersign_migration)`;
  const rows = await query(
    ownerUrl,
    `DELETE FROM countersign_migration WHERE id = ${newest} RETURNING id, timestamp, name`,
  );
  const fault = await faultOf(start);
  const { id, timestamp, name: missing } = rows[0] as Record<string, unknown>;
  await query(ownerUrl, 'INSERT INTO countersign_migration VALUES ($1, $2, $3)', [
    id,
    timestamp,
    missing,
  ]);
  expect(fault).toContain(
    `${name}: the database's schema is not this release's (it lacks ${String(missing)}): run countersign migrate\n`,
  );
});

it.each(PROGRAMS)(
  'the %s says that a vault from before release zero is to be made anew',
  async (name, start) => {
    const { ownerUrl } = servers;
    await query(ownerUrl, `UPDATE countersign_migration SET name = 'First1700000000001'`);
    // as it was then: nobody but the owner could read the table
    const logins = 'countersign_gateway, countersign_notifier, countersign_party_1';
    await query(ownerUrl, `REVOKE SELECT ON countersign_migration FROM ${logins}`);
    const fault = await faultOf(start);
    const migrated = await migrate(ownerUrl).catch((error: Error) => error.message);
    await query(ownerUrl, `GRANT SELECT ON countersign_migration TO ${logins}`);
    const readable = await faultOf(start);
    await query(ownerUrl, 'UPDATE countersign_migration SET name = $1', [SCHEMA_MIGRATIONS[0]]);
    const older = 'this vault is older than release zero and must be made anew';
    expect(fault).toContain(`${name}: ${older}`);
    expect(readable).toContain(`${name}: ${older}`);
    expect(migrated).toContain(older);
  },
);
