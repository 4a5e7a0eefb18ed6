import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { call } from './support/api.ts';
import { expectOk, newMachineKey, openTestVault, type TestVault } from './support/test-vault.ts';
let vault: TestVault;
beforeAll(async () => { vault = await openTestVault(); }, 60_000);
afterAll(() => vault?.close(), 60_000);
it('many keys', async () => {
  const bad: string[] = [];
  for (let i = 0; i < 300; i++) {
    const { privateKey, publicKey } = newMachineKey();
    const hex = Buffer.from(publicKey, 'base64url').toString('hex');
    const text = [publicKey, hex, hex.toUpperCase()][i % 3]!;
    const u = await expectOk<{ api_key: string }>(vault.admin, 'POST', '/v1/users', { type: 'machine', display_name: 'x' + i, public_key: text });
    const c = vault.clientFor({ apiKey: u.api_key, privateKey });
    for (let j = 0; j < 3; j++) { const r = await call(c, 'POST', '/v1/vaults', { display_name: 'no right' });
    if (r.status !== 403) bad.push(`${i} ${j} ${text} ${r.status} ${r.text}`); }
    c.close();
  }
  expect(bad).toEqual([]);
}, 120_000);
