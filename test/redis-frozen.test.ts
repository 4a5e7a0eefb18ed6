/** Redis hangs: a socket that is open and answers nothing is worse than one that is closed. */
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { eventually, expectOk, openTestVault, PATIENT } from './support/test-vault.ts';
import type { TestVault, TestWallet } from './support/test-vault.ts';

/** Redis is given 2 s to answer; a machine that is busy elsewhere may need another try. */
const ANSWERED_WITHIN_MS = 10_000;

let vault: TestVault;
let wallet: TestWallet;
const message = { message: Buffer.from('hello').toString('base64') };

beforeAll(async () => {
  vault = await openTestVault();
  wallet = await vault.createWallet();
}, 60_000);
afterAll(async () => {
  process.kill(vault.servers.redis.pid, 'SIGCONT');
  await vault?.close();
}, 60_000);

function sign(headers: Record<string, string> = {}) {
  const target = `${wallet.path}/raw-sign`;
  return vault.admin.send({ method: 'POST', target, body: message, headers });
}

describe('while Redis hangs', () => {
  it('freezing works, reads work, signing answers 504 in time, and all is well afterwards', async () => {
    expect((await sign(PATIENT)).status).toBe(200);
    process.kill(vault.servers.redis.pid, 'SIGSTOP');

    await eventually(async () => {
      const startedAt = Date.now();
      expect((await sign()).status).toBe(504);
      return Date.now() - startedAt < ANSWERED_WITHIN_MS;
    }, 40_000);
    await expectOk(vault.admin, 'GET', '/v1/vaults');
    await expectOk(vault.admin, 'POST', `/v1/vaults/freeze?vault_ids=${wallet.vaultId}`);

    process.kill(vault.servers.redis.pid, 'SIGCONT');
    const denied = await eventually(async () => {
      const response = await sign();
      return response.status === 403 && response;
    });
    expect(denied.text).toContain('the vault is frozen');
    await expectOk(vault.admin, 'POST', `/v1/vaults/unfreeze?vault_ids=${wallet.vaultId}`);
    await eventually(async () => (await sign()).status === 200);
  }, 120_000);

  it('a governance request replayed without Redis is refused by the fold', async () => {
    process.kill(vault.servers.redis.pid, 'SIGSTOP');
    try {
      const { signRequest } = await import('../client/dist/signing/sign-request.js');
      const body = Buffer.from(JSON.stringify({ display_name: 'made once' }));
      const headers = {
        ...signRequest(vault.adminCredential, {
          method: 'POST',
          target: '/v1/vaults',
          body,
          now: Date.now(),
        }),
        'content-type': 'application/json',
      };
      const send = () =>
        fetch(`${vault.baseUrl}/v1/vaults`, { method: 'POST', headers, body }).then(
          (response) => response.status,
        );
      expect(await send()).toBe(200);
      expect(await send()).toBe(401);
    } finally {
      process.kill(vault.servers.redis.pid, 'SIGCONT');
    }
  }, 60_000);
});
