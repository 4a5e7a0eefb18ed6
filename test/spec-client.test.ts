import { execFile, spawnSync } from 'node:child_process';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { openTestVault, type TestVault } from './support/test-vault.ts';

const run = promisify(execFile);
const MISSING = ['bash', 'openssl', 'curl'].filter(
  (tool) => spawnSync(tool, [tool === 'openssl' ? 'version' : '--version']).status !== 0,
);

let vault: TestVault | undefined;
beforeAll(async () => {
  if (MISSING.length === 0) vault = await openTestVault();
}, 60_000);
afterAll(() => vault?.close(), 60_000);

describe('a client written from the specification alone', () => {
  it('makes a user, a vault and a wallet, and gets a signature that openssl verifies', async () => {
    if (vault === undefined) {
      process.stderr.write(`not run: no ${MISSING.join(', ')} on this machine\n`);
      expect(MISSING).not.toHaveLength(0);
      return;
    }
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
  }, 60_000);
});
