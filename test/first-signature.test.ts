import { createPublicKey, verify } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { expectOk, openSharedVault, type VaultInUse } from './support/test-vault.ts';

let vault: VaultInUse;
beforeAll(async () => {
  vault = await openSharedVault();
}, 60_000);
afterAll(() => vault?.close(), 60_000);

describe('a bot signs with a wallet no one holds', () => {
  it('gets a signature by two of three parties that OpenSSL verifies', async () => {
    const bot = await vault.createMachine();
    const wallet = await vault.createWallet({ initiators: [bot.id] });
    const message = Buffer.from('hello');
    const answer = await expectOk<{ signature: string; public_key: string }>(
      bot.client,
      'POST',
      `${wallet.path}/raw-sign`,
      { message: message.toString('base64') },
    );
    const x = Buffer.from(answer.public_key, 'base64').toString('base64url');
    const key = createPublicKey({ key: { kty: 'OKP', crv: 'Ed25519', x }, format: 'jwk' });
    expect(verify(null, message, key, Buffer.from(answer.signature, 'base64'))).toBe(true);
  });
});
