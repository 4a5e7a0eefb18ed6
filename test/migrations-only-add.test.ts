/**
 * A migration only adds to the schema: the release before it works on while an upgrade goes through the processes, and
 * may come back. What a release has ceased to use, the migration after the next may take away.
 */
import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { describeSchema } from '../workshop/src/check/describe-schema.js';
import { migrate, MIGRATIONS } from '@countersign/admin/database/migrate.js';
import { onCluster, requireEnv } from './support/test-servers.ts';
import { query } from './support/signing-load.ts';

/** Lines that a migration takes away or writes anew, by its name: no process of the release before it uses them. */
const UNUSED: Readonly<Record<string, readonly string[]>> = {};

const DATABASE = `countersign_migrations_${process.pid}`;
const clusterUrl = () => requireEnv('COUNTERSIGN_TEST_DATABASE_URL');

function databaseUrl(): string {
  const url = new URL(clusterUrl());
  url.pathname = `/${DATABASE}`;
  return url.toString();
}

/** Lines of the description that are there no more. */
function removed(before: string, after: string): string[] {
  const lines = new Set(after.split('\n'));
  return before.split('\n').filter((line) => !lines.has(line));
}

beforeAll(() => onCluster(clusterUrl(), `CREATE DATABASE ${DATABASE}`));
afterAll(() => onCluster(clusterUrl(), `DROP DATABASE ${DATABASE} WITH (FORCE)`));

it('so does each migration', async () => {
  await migrate(databaseUrl(), MIGRATIONS.slice(0, 1));
  let before = await describeSchema(databaseUrl());
  for (const [index, { name }] of MIGRATIONS.entries()) {
    if (index === 0) continue;
    await migrate(databaseUrl(), MIGRATIONS.slice(0, index + 1));
    const after = await describeSchema(databaseUrl());
    expect([name, removed(before, after)]).toEqual([name, UNUSED[name] ?? []]);
    before = after;
  }
});

it.each([
  ['a column', 'ALTER TABLE ledger_entry ADD COLUMN later text', true],
  ['a table', 'CREATE TABLE later (id int)', true],
  ['the lack of a column', 'ALTER TABLE signing_request DROP COLUMN request_id CASCADE', false],
  ['the lack of a right', 'REVOKE SELECT ON signing_request FROM countersign_gateway', false],
])('%s is told for what it is', async (_name, statement, onlyAdds) => {
  const before = await describeSchema(databaseUrl());
  await query(databaseUrl(), statement);
  expect(removed(before, await describeSchema(databaseUrl())).length === 0).toBe(onlyAdds);
});
