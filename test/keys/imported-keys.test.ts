import { createHmac, generateKeyPairSync, randomBytes, verify, type KeyObject } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it, jest } from '@jest/globals';
import { readKeyFile } from '../../client/dist/keys/read-key-file.js';
import type { ImportedSecret } from '../../client/dist/keys/imported-secret.js';
import { call, expectRefusal } from '../support/api.ts';
import { importRequest, importSecret } from '../support/desk-import.ts';
import { allowKeys, type KeyView } from '../support/standalone-keys.ts';
import { eventually, expectOk, openSharedVault, type VaultInUse } from '../support/test-vault.ts';

jest.setTimeout(90_000);

let vault: VaultInUse;

beforeAll(async () => {
  vault = await openSharedVault();
}, 60_000);
afterAll(() => vault?.close(), 60_000);

const message = Buffer.from('an order');

async function rawSign(key: KeyView, scheme?: string): Promise<Buffer> {
  const { signature } = await expectOk<{ signature: string }>(
    vault.admin,
    'POST',
    `/v1/keys/${key.id}/raw-sign`,
    { message: 'an order', message_encoding: 'utf8', ...(scheme !== undefined && { scheme }) },
  );
  return Buffer.from(signature, 'base64');
}

function hmacSecret(secret = randomBytes(48), passphrase = ''): ImportedSecret {
  return { type: 'hmac', secret: Buffer.from(secret), passphrase, encoding: 'hex' };
}

function keyFile(type: 'ed25519' | 'rsa'): { secret: ImportedSecret; publicKey: KeyObject } {
  const pair =
    type === 'rsa'
      ? generateKeyPairSync('rsa', { modulusLength: 2048 })
      : generateKeyPairSync(type);
  const pem = pair.privateKey.export({ format: 'pem', type: 'pkcs8' });
  return { secret: readKeyFile(Buffer.from(pem), { type }), publicKey: pair.publicKey };
}

/** The record of a request that was answered 202, once it has come to its end. */
function endOf(requestId: string): Promise<{ status: string; error?: { err_msg: string } }> {
  return eventually(async () => {
    const record = await expectOk<{ status: string; error?: { err_msg: string } }>(
      vault.admin,
      'GET',
      `/v1/requests/${requestId}`,
    );
    return record.status === 'processing' ? undefined : record;
  }, 60_000);
}

describe('an imported key', () => {
  it('that is an HMAC secret signs as the secret itself would, with every hash', async () => {
    const secret = randomBytes(40);
    const key = await importSecret(vault, hmacSecret(secret), { scheme: 'hmac_sha512' });
    expect(key).toMatchObject({
      type: 'hmac',
      scheme: 'hmac_sha512',
      custody: 'split',
      encoding: 'hex',
      status: 'active',
    });
    expect(key.public_key).toBeUndefined();
    await allowKeys(vault, [key.id], { operations: ['raw_sign'] });
    for (const hash of ['sha256', 'sha384', 'sha512']) {
      const expected = createHmac(hash, secret).update(message).digest();
      expect(await rawSign(key, `hmac_${hash}`)).toEqual(expected);
    }
    expect(await rawSign(key)).toEqual(createHmac('sha512', secret).update(message).digest());
  });

  it('that is an Ed25519 key keeps its public key', async () => {
    const { secret, publicKey } = keyFile('ed25519');
    const key = await importSecret(vault, secret);
    expect(key).toMatchObject({ type: 'ed25519', custody: 'mpc_imported', encoding: 'pkcs8' });
    expect(key.public_key!.pem).toBe(publicKey.export({ format: 'pem', type: 'spki' }));
    await allowKeys(vault, [key.id], { operations: ['raw_sign'] });
    expect(verify(null, message, publicKey, await rawSign(key))).toBe(true);
  });

  it('that is an RSA key keeps its public key', async () => {
    const { secret, publicKey } = keyFile('rsa');
    const key = await importSecret(vault, secret);
    expect(key).toMatchObject({ type: 'rsa', custody: 'mpc_imported', modulus_bits: 2048 });
    expect(key.public_key!.pem).toBe(publicKey.export({ format: 'pem', type: 'spki' }));
    await allowKeys(vault, [key.id], { operations: ['raw_sign'] });
    expect(verify('sha256', message, publicKey, await rawSign(key))).toBe(true);
  });

  it.each(['hmac', 'ed25519', 'rsa'] as const)(
    'that is %s fails, and says why, when one part does not fit the others',
    async (type) => {
      const secrets = [0, 1].map(() => (type === 'hmac' ? hmacSecret() : keyFile(type).secret));
      const [one, other] = await Promise.all(secrets.map((secret) => importRequest(vault, secret)));
      const shares = [one!.shares[0], one!.shares[1], other!.shares[2]];
      const accepted = await call(
        vault.admin,
        'POST',
        '/v1/keys/import',
        { ...one, shares },
        { prefer: 'respond-async' },
      );
      const { request_id: id } = accepted.body as { request_id: string };
      const record = await endOf(id);
      expect(record.status).toBe('failed');
      expect(record.error!.err_msg).toMatch(/^party [123]: /);
    },
  );

  it('cannot be imported by another user with the same ciphertext', async () => {
    const body = await importRequest(vault, hmacSecret(), {}, (await vault.createMachine()).id);
    const response = await call(vault.admin, 'POST', '/v1/keys/import', body, {
      prefer: 'wait=30',
    });
    expect(response.status).toBe(422);
    expect(response.body).toMatchObject({ err_type: 'invalid_inputs' });
    expect((response.body as { err_msg: string }).err_msg).toContain('does not open');
  });

  it('is refused when a recipient is unknown, a party is missing, or the key is not as stated', async () => {
    const body = await importRequest(vault, keyFile('ed25519').secret);
    const [first, second, third] = body.shares;
    const cases: readonly (readonly [change: object, text: string])[] = [
      [{ shares: [first, second] }, 'shares: '],
      [{ shares: [first, second, second] }, 'shares: '],
      [
        { shares: [first, second, { ...third, recipient_id: first!.recipient_id }] },
        'shares: a recipient is unknown',
      ],
      [{ public_key: undefined }, 'public_key: '],
      [{ public_key: 'AAAA' }, 'public_key: '],
      [{ type: 'hmac' }, 'public_key: '],
      [{ scheme: 'hmac_sha256' }, 'scheme: '],
      [{ shares: [first, second, { ...third, sealed: 'not base64' }] }, 'shares.2.sealed: '],
    ];
    for (const [change, text] of cases) {
      const changed = { ...body, ...change };
      await expectRefusal('invalid_inputs', vault.admin, 'POST', '/v1/keys/import', changed, text);
    }
  });

  it('fails when the stated public key is another one', async () => {
    const body = await importRequest(vault, keyFile('ed25519').secret);
    const other = await importRequest(vault, keyFile('ed25519').secret);
    const response = await call(
      vault.admin,
      'POST',
      '/v1/keys/import',
      { ...body, public_key: other.public_key },
      { prefer: 'wait=30' },
    );
    expect(response.status).toBe(422);
    expect((response.body as { err_msg: string }).err_msg).toContain('stated public key');
  });
});
