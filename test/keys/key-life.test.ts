import { randomBytes } from 'node:crypto';
import pg from 'pg';
import { afterAll, beforeAll, describe, expect, it, jest } from '@jest/globals';
import { startSigner } from '../../infra/dev/dist/stack/open-stack.js';
import { call, expectRefusal, grant } from '../support/api.ts';
import { importRequest, importSecret } from '../support/desk-import.ts';
import { allowKeys, generateKey, type KeyView } from '../support/standalone-keys.ts';
import { eventually, expectOk, openTestVault, PATIENT } from '../support/test-vault.ts';
import type { TestVault } from '../support/test-vault.ts';
import { drill } from '../support/drills.ts';

jest.setTimeout(90_000);

let vault: TestVault;
let owner: pg.Pool;

beforeAll(async () => {
  vault = await openTestVault();
  owner = new pg.Pool({ connectionString: vault.servers.ownerUrl, max: 2 });
}, 60_000);
afterAll(async () => {
  await owner?.end();
  await vault?.close();
}, 60_000);

const RAW = { message: 'x', message_encoding: 'utf8' };
/** Below the minute after which a party looks again: what is waited for happens at once. */
const PATIENCE_MS = 30_000;

async function newKey(name: string): Promise<KeyView> {
  const key = await generateKey(vault, {
    type: 'ed25519',
    display_name: name,
    venue_id: 'backpack',
    venue_api_key: 'public-half',
    labels: { desk: 'one' },
  });
  await allowKeys(vault, [key.id], { operations: ['raw_sign'] });
  return key;
}

/** How many shares of the key each party has. */
async function sharesOf(keyId: string): Promise<number[]> {
  const counts = [1, 2, 3].map(async (party) => {
    const { rows } = await owner.query<{ count: string }>(
      `SELECT count(*) FROM party_${party}.key_share WHERE key_id = $1`,
      [keyId],
    );
    return Number(rows[0]!.count);
  });
  return Promise.all(counts);
}

/** One share at each party: what runs left that did not win is deleted a moment later. */
async function untilOneShareEach(keyId: string): Promise<void> {
  await eventually(async () => (await sharesOf(keyId)).join() === '1,1,1', PATIENCE_MS);
}

describe('updating a key', () => {
  it('changes what it is called and its identifier at the venue, and counts versions', async () => {
    const key = await newKey('before');
    const after = await expectOk<KeyView>(vault.admin, 'PUT', `/v1/keys/${key.id}`, {
      display_name: 'after',
      description: 'of the second desk',
      venue_api_key: 'another',
      version: 1,
    });
    expect(after).toEqual({
      ...key,
      display_name: 'after',
      description: 'of the second desk',
      venue_api_key: 'another',
      version: 2,
      last_updated_at: expect.any(String),
    });
    const stale = { display_name: 'late', version: 1 };
    await expectRefusal('resource_conflict', vault.admin, 'PUT', `/v1/keys/${key.id}`, stale);
  });

  it('never changes labels, venue or type', async () => {
    const key = await newKey('fixed');
    for (const change of [{ labels: {} }, { venue_id: 'binance' }, { type: 'rsa' }, {}]) {
      await expectRefusal('invalid_inputs', vault.admin, 'PUT', `/v1/keys/${key.id}`, change);
    }
  });
});

describe('the right to', () => {
  const RIGHTS = ['generate_keys', 'import_keys', 'manage_keys'];
  const generated = { type: 'ed25519', display_name: 'by another' };
  const imported = (userId: string) => {
    const secret = randomBytes(32);
    return importRequest(
      vault,
      { type: 'hmac', secret, passphrase: '', encoding: 'hex' },
      {},
      userId,
    );
  };

  it.each<[string, string, string, string, (userId: string) => unknown]>([
    ['generate', 'generate_keys', 'POST', '/v1/keys', () => generated],
    ['import', 'import_keys', 'POST', '/v1/keys/import', imported],
    ['change', 'manage_keys', 'PUT', '/v1/keys/{id}', () => ({ display_name: 'mine' })],
    ['destroy', 'manage_keys', 'POST', '/v1/keys/{id}/destroy', () => ({})],
  ])('%s keys is %s, and no other', async (_what, right, method, path, bodyOf) => {
    const key = await newKey(`of others, for ${right}`);
    const { id, client } = await vault.createMachine();
    const target = path.replace('{id}', key.id);
    const body = await bodyOf(id);
    for (const other of RIGHTS.filter((name) => name !== right)) await grant(vault, id, other);
    await expectRefusal('forbidden', client, method, target, body);
    await grant(vault, id, right);
    await expectOk(client, method, target, body, { prefer: 'wait=30' });
  });
});

describe('freezing', () => {
  it('by key ids stops those keys and no others', async () => {
    const [one, other] = [await newKey('frozen'), await newKey('free')];
    await expectOk(vault.admin, 'POST', `/v1/keys/freeze?key_ids=${one.id}`, { reason: 'why' });
    const text = 'the key is frozen';
    await expectRefusal('forbidden', vault.admin, 'POST', `/v1/keys/${one.id}/raw-sign`, RAW, text);
    await expectOk(vault.admin, 'POST', `/v1/keys/${other.id}/raw-sign`, RAW);
    const listed = await expectOk<KeyView>(vault.admin, 'GET', `/v1/keys/${one.id}`);
    expect(listed.status).toBe('frozen');
    await expectOk(vault.admin, 'POST', `/v1/keys/unfreeze?key_ids=${one.id}`, {});
    await expectOk(vault.admin, 'POST', `/v1/keys/${one.id}/raw-sign`, RAW);
  });

  it('by venue stops raw signing with its keys too, imported ones included', async () => {
    const imported = await importSecret(
      vault,
      { type: 'hmac', secret: randomBytes(32), passphrase: '', encoding: 'utf8' },
      { venueId: 'gate', venueApiKey: 'gate-key' },
    );
    await allowKeys(vault, [imported.id], { operations: ['raw_sign'] });
    const target = `/v1/keys/${imported.id}/raw-sign`;
    const sign = () => call(vault.admin, 'POST', target, RAW, PATIENT);
    expect((await sign()).status).toBe(200);
    await expectOk(vault.admin, 'POST', '/v1/keys/freeze?venue_id=gate', {});
    expect((await sign()).status).toBe(403);
    await expectOk(vault.admin, 'POST', '/v1/keys/unfreeze?venue_id=gate', {});
    expect((await sign()).status).toBe(200);
  });
});

describe('destroying a key', () => {
  it('deletes the share of every party and leaves a tombstone that signs nothing', async () => {
    const key = await newKey('to go');
    await expectOk(vault.admin, 'POST', `/v1/keys/${key.id}/raw-sign`, RAW);
    await untilOneShareEach(key.id);
    const destroyed = await expectOk<KeyView>(vault.admin, 'POST', `/v1/keys/${key.id}/destroy`);
    expect(destroyed.status).toBe('destroyed');
    const isGone = async () => (await sharesOf(key.id)).every((count) => count === 0);
    await eventually(isGone, PATIENCE_MS);
    expect(await expectOk<KeyView>(vault.admin, 'GET', `/v1/keys/${key.id}`)).toEqual(destroyed);
    const text = 'the key is destroyed';
    await expectRefusal('forbidden', vault.admin, 'POST', `/v1/keys/${key.id}/raw-sign`, RAW, text);
    const change = { display_name: 'never' };
    await expectRefusal('resource_conflict', vault.admin, 'PUT', `/v1/keys/${key.id}`, change);
    // asked for twice it is no error
    await expectOk(vault.admin, 'POST', `/v1/keys/${key.id}/destroy`);
  });

  it('takes it out of its security groups', async () => {
    const key = await newKey('a member');
    const { groupId } = await allowKeys(vault, [key.id], { operations: ['raw_sign'] });
    await expectOk(vault.admin, 'POST', `/v1/keys/${key.id}/destroy`);
    const group = await expectOk<{ members: unknown[] }>(
      vault.admin,
      'GET',
      `/v1/security-groups/${groupId}`,
    );
    expect(group.members).toEqual([]);
    const again = { add: [{ member_id: key.id, member_type: 'key' }] };
    const members = `/v1/security-groups/${groupId}/members`;
    await expectRefusal('invalid_inputs', vault.admin, 'PATCH', members, again, 'not active');
  });

  it("is refused for a wallet's key while the wallet stands", async () => {
    const { keyId } = await vault.createWallet();
    await expectRefusal('resource_conflict', vault.admin, 'POST', `/v1/keys/${keyId}/destroy`);
  });

  drill(
    'deletes the shares of a party that was away, once it is back, and no share of a live key',
    async () => {
      const [key, live] = [await newKey('destroyed meanwhile'), await newKey('alive')];
      for (const { id } of [key, live]) await untilOneShareEach(id);
      await vault.stack.signers[2]!.stop();
      await expectOk(vault.admin, 'POST', `/v1/keys/${key.id}/destroy`);
      await eventually(async () => {
        const [first, second] = await sharesOf(key.id);
        return first === 0 && second === 0;
      }, PATIENCE_MS);
      expect(await sharesOf(key.id)).toEqual([0, 0, 1]);
      const returned = await startSigner(vault.options, 3);
      try {
        const isGone = async () => (await sharesOf(key.id)).every((count) => count === 0);
        await eventually(isGone, PATIENCE_MS);
        expect(await sharesOf(live.id)).toEqual([1, 1, 1]);
        // the share is still good: without party 1 there is no signature but with it
        await vault.stack.signers[0]!.stop();
        const sign = () => call(vault.admin, 'POST', `/v1/keys/${live.id}/raw-sign`, RAW);
        await eventually(async () => (await sign()).status === 200, 60_000);
      } finally {
        await returned.stop();
      }
    },
    150_000,
  );
});
