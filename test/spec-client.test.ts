import { execFile, spawnSync } from 'node:child_process';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { runWhere } from './support/run-where.ts';
import { openSharedVault, type VaultInUse } from './support/test-vault.ts';

const run = promisify(execFile);
const MISSING = ['bash', 'openssl', 'curl'].filter(
  (tool) => spawnSync(tool, [tool === 'openssl' ? 'version' : '--version']).status !== 0,
);

const hasTools = MISSING.length === 0;
const itWithTools = runWhere(it, hasTools, `needs ${MISSING.join(', ')}`);

let vault: VaultInUse;
beforeAll(async () => {
  if (hasTools) vault = await openSharedVault();
}, 60_000);
afterAll(() => vault?.close(), 60_000);

describe('a client written from the specification alone', () => {
  itWithTools(
    'makes a user, a vault and a wallet, and gets a signature that openssl verifies',
    async () => {
      const { stdout } = await run('bash', ['test/spec-client/first-signature.sh'], {
        env: {
          PATH: process.env['PATH'],
          BASE_URL: vault.baseUrl,
          ADMIN_ID: vault.adminId,
          API_KEY: vault.prepared.admin.api_key,
          PRIVATE_KEY_FILE: vault.prepared.admin.private_key_file,
        },
      });
      expect(stdout).toMatch(/^address [1-9A-HJ-NP-Za-km-z]{32,44}\nverified\n$/);
    },
    60_000,
  );
});
