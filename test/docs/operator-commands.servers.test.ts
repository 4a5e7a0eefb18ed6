/** What the operator's pages tell somebody to type at a vault that runs, typed there. */
import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { readdirSync } from 'node:fs';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { blockWith, blocksOf } from '../support/page-blocks.ts';
import { findProgram, runWhere } from '../support/run-where.ts';
import { query } from '../support/signing-load.ts';
import { openSharedVault, type VaultInUse } from '../support/test-vault.ts';

const run = promisify(execFile);
const RUNBOOKS = 'docs/how-to/runbooks';

let vault: VaultInUse;
beforeAll(async () => {
  vault = await openSharedVault();
});
afterAll(() => vault?.close());

async function type(command: string): Promise<unknown> {
  const env = {
    PATH: process.env['PATH'],
    VAULT: vault.baseUrl,
    KEY: vault.adminCredential.apiKey,
  };
  const { stdout } = await run('sh', ['-c', command], { env });
  return JSON.parse(stdout);
}

const pages = readdirSync(RUNBOOKS).filter((page) => page !== 'README.md');
const commands = pages.map((page) => [page, blocksOf(`${RUNBOOKS}/${page}`, 'sh')[0]!] as const);
const asked = commands.filter(([, command]) => command.startsWith('curl '));
const queried = commands.filter(([, command]) => command.startsWith('psql '));

runWhere(
  describe,
  findProgram('curl'),
  'needs curl',
)('the first command of a runbook', () => {
  test.each(asked)('of %s is answered', async (_page, command) => {
    const answer = await type(command);
    expect(answer).not.toHaveProperty('err_type');
    expect(Object.keys(answer as object).length).toBeGreaterThan(0);
  });

  test('for health says what install.md promises', async () => {
    const command = blockWith('docs/how-to/install.md', 'sh', '/health');
    expect(await type(command)).toMatchObject({ status: 'ok' });
  });
});

test.each(queried)('the query of %s is one that the owner may ask', async (_page, command) => {
  const [, sql] = /^psql "\$DATABASE_URL" -c "([^"]+)"$/.exec(command)!;
  expect(Array.isArray(await query(vault.servers.ownerUrl, sql!))).toBe(true);
});
