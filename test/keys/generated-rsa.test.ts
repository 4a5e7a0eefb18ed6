import { constants, createPublicKey, verify } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it, jest } from '@jest/globals';
import { call, expectRefusal } from '../support/api.ts';
import { allowKeys, RSA_PATIENCE_MS, type KeyView } from '../support/standalone-keys.ts';
import { eventually, expectOk, openTestVault, type TestVault } from '../support/test-vault.ts';

interface Record {
  status: string;
  phase?: string;
  progress?: { candidates_tried: number; candidates_expected: number };
  result?: KeyView;
}

jest.setTimeout(90_000);

let vault: TestVault;
let key: KeyView;

beforeAll(async () => {
  vault = await openTestVault();
}, 60_000);
afterAll(() => vault?.close(), 60_000);

const message = Buffer.from('what a desk wants signed');
const rawSign = (body: object) =>
  expectOk<{ signature: string }>(vault.admin, 'POST', `/v1/keys/${key.id}/raw-sign`, {
    message: message.toString('base64'),
    message_encoding: 'base64',
    ...body,
  });

describe('an RSA-2048 key that the parties make together', () => {
  it(
    'is answered 202, tells how far it has come, and is complete in the end',
    async () => {
      const accepted = await call(
        vault.admin,
        'POST',
        '/v1/keys',
        { type: 'rsa', display_name: 'made together' },
        { prefer: 'respond-async' },
      );
      expect(accepted.status).toBe(202);
      const { request_id: id } = accepted.body as { request_id: string };
      const seen: Record[] = [];
      const done = await eventually(async () => {
        const record = await expectOk<Record>(vault.admin, 'GET', `/v1/requests/${id}`);
        seen.push(record);
        return record.status === 'completed' ? record : undefined;
      }, RSA_PATIENCE_MS);
      key = done.result!;
      expect(seen.every(({ status }) => ['processing', 'completed'].includes(status))).toBe(true);
      const told = seen.flatMap(({ progress }) => progress ?? []);
      expect(told).not.toEqual([]);
      expect(told.every(({ candidates_expected: expected }) => expected > 3_000)).toBe(true);
      const tried = told.map((progress) => progress.candidates_tried);
      // a run that failed, as for want of a message on a loaded machine, is followed by one that begins anew
      const lines = vault.stack.signers.flatMap((party) => party.output().split('\n'));
      const failedRuns = lines.filter((line) => line.includes('"key_ceremony_failed"'));
      const falls = tried.filter((count, at) => at > 0 && count < tried[at - 1]!);
      expect(falls.length).toBeLessThanOrEqual(failedRuns.length);
    },
    RSA_PATIENCE_MS + 30_000,
  );

  it('says what it is: its custody, scheme, size and public key', () => {
    expect(key).toMatchObject({
      type: 'rsa',
      scheme: 'rsa_pkcs1_sha256',
      custody: 'mpc',
      modulus_bits: 2048,
      status: 'active',
    });
    const spki = createPublicKey(key.public_key!.pem);
    expect(spki.asymmetricKeyDetails).toEqual({ modulusLength: 2048, publicExponent: 65537n });
    const raw = Buffer.from(key.public_key!.raw, 'base64');
    expect(createPublicKey({ key: raw, format: 'der', type: 'pkcs1' }).equals(spki)).toBe(true);
    expect(key.attestations.map(({ party }) => party)).toEqual([1, 2, 3]);
  });

  it('signs nothing until a rule names raw_sign', async () => {
    const body = { message: 'x', message_encoding: 'utf8' };
    const target = `/v1/keys/${key.id}/raw-sign`;
    await expectRefusal('forbidden', vault.admin, 'POST', target, body);
    // a rule that names no operation does not cover it
    await allowKeys(vault, [key.id], { initiators: { user_ids: [vault.adminId] } });
    await expectRefusal('forbidden', vault.admin, 'POST', target, body);
    await allowKeys(vault, [key.id], { operations: ['raw_sign'] });
  });

  it.each(['sha256', 'sha384', 'sha512'])('signs PKCS#1 v1.5 and PSS with %s', async (hash) => {
    const publicKey = createPublicKey(key.public_key!.pem);
    const pkcs1 = await rawSign({ scheme: `rsa_pkcs1_${hash}` });
    const pss = await rawSign({ scheme: `rsa_pss_${hash}`, output_encoding: 'hex' });
    expect(verify(hash, message, publicKey, Buffer.from(pkcs1.signature, 'base64'))).toBe(true);
    const options = {
      key: publicKey,
      padding: constants.RSA_PKCS1_PSS_PADDING,
      saltLength: constants.RSA_PSS_SALTLEN_DIGEST,
    };
    expect(verify(hash, message, options, Buffer.from(pss.signature, 'hex'))).toBe(true);
  });

  it('uses its own scheme when a request names none, and refuses those of other keys', async () => {
    const publicKey = createPublicKey(key.public_key!.pem);
    const { signature } = await rawSign({});
    expect(verify('sha256', message, publicKey, Buffer.from(signature, 'base64'))).toBe(true);
    await expectRefusal(
      'invalid_inputs',
      vault.admin,
      'POST',
      `/v1/keys/${key.id}/raw-sign`,
      { message: 'x', message_encoding: 'utf8', scheme: 'ed25519' },
      'this key signs with rsa_pkcs1_sha256',
    );
  });

  it('refuses a modulus of another size, and one for an Ed25519 key', async () => {
    for (const body of [
      { type: 'rsa', modulus_bits: 1024 },
      { type: 'ed25519', modulus_bits: 2048 },
      { type: 'hmac' },
    ]) {
      const named = { display_name: 'never', ...body };
      await expectRefusal('invalid_inputs', vault.admin, 'POST', '/v1/keys', named);
    }
  });
});
