import { createPublicKey, randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { keyAttestationMessage } from '@countersign/core/attestation.js';
import { verifyEd25519 } from '@countersign/core/ed25519.js';
import type { PartyIdentity } from '@countersign/core/parties.js';
import { addressOf } from '@countersign/chains/addresses.js';
import { NETWORK_FAMILIES } from '@countersign/core/vocabulary.js';
import { allPages, call, expectRefusal, grant, type Page } from './support/api.ts';
import { readGenesis } from './support/genesis.ts';
import { eventually, expectOk, openTestVault, type TestVault } from './support/test-vault.ts';

interface VaultRow {
  id: string;
  display_name: string;
  description: string | null;
  status: string;
  wallet_count: number;
}

interface Wallet {
  id: string;
  vault_id: string;
  address: string;
  network_family: string;
  networks: string[];
  public_key: { pem: string; raw: string };
  key_id: string;
  display_name: string;
  status: string;
  attestations: { party: number; signature: string; ceremony_hash: string }[];
}

interface Key {
  id: string;
  status: string;
  wallet_id?: string;
}

let vault: TestVault;
let parties: readonly PartyIdentity[];
let genesisHash: string;
beforeAll(async () => {
  vault = await openTestVault();
  ({ parties, genesisHash } = await readGenesis(vault));
}, 60_000);
afterAll(() => vault?.close(), 60_000);

const name = (what: string) => `${what} ${randomUUID()}`;
const createVault = (fields: Record<string, unknown> = {}) =>
  expectOk<VaultRow>(vault.admin, 'POST', '/v1/vaults', { display_name: name('vault'), ...fields });
const createWallet = (vaultId: string, fields: Record<string, unknown> = {}) =>
  expectOk<Wallet>(
    vault.admin,
    'POST',
    `/v1/vaults/${vaultId}/wallets`,
    { network_family: 'solana', ...fields },
    { prefer: 'wait=30' },
  );
const getVault = (id: string) => expectOk<VaultRow>(vault.admin, 'GET', `/v1/vaults/${id}`);

describe('vaults', () => {
  it('are created, read and updated', async () => {
    const created = await createVault({ description: 'cold' });
    expect(created).toMatchObject({ description: 'cold', status: 'active', wallet_count: 0 });
    expect(await getVault(created.id)).toEqual(created);
    const path = `/v1/vaults/${created.id}`;
    const renamed = name('renamed');
    const updated = await expectOk<VaultRow>(vault.admin, 'PUT', path, { display_name: renamed });
    expect(updated).toMatchObject({ id: created.id, display_name: renamed, description: 'cold' });
    await expectOk(vault.admin, 'PUT', path, { description: null });
    expect((await getVault(created.id)).description).toBeNull();
    await expectRefusal('invalid_inputs', vault.admin, 'PUT', path, {});
    await expectRefusal('resource_not_found', vault.admin, 'GET', `/v1/vaults/${randomUUID()}`);
    await expectRefusal('resource_not_found', vault.admin, 'PUT', `/v1/vaults/${randomUUID()}`, {
      description: 'none',
    });
  });

  it('have names of their own, compared without case', async () => {
    const first = await createVault();
    const second = await createVault();
    const body = { display_name: first.display_name.toUpperCase() };
    await expectRefusal('resource_conflict', vault.admin, 'POST', '/v1/vaults', body);
    await expectRefusal('resource_conflict', vault.admin, 'PUT', `/v1/vaults/${second.id}`, body);
    await expectOk(vault.admin, 'PUT', `/v1/vaults/${first.id}`, body);
  });

  it('are listed page by page, by id and by name', async () => {
    const tag = randomUUID().slice(0, 8);
    const rows = [];
    for (const label of ['One', 'two', 'three']) {
      rows.push(await createVault({ display_name: `${tag} ${label}` }));
    }
    const ids = rows.map((row) => row.id);
    const all = await allPages<VaultRow>(vault.admin, '/v1/vaults?limit=2');
    expect(all.map((row) => row.id).slice(-3)).toEqual(ids);
    const like = await allPages<VaultRow>(
      vault.admin,
      `/v1/vaults?limit=1&display_name_like=${tag}%20ONE`,
    );
    expect(like).toEqual([rows[0]]);
    const byId = await allPages<VaultRow>(
      vault.admin,
      `/v1/vaults?limit=2&vault_ids=${ids[2]},${ids[0]}`,
    );
    expect(byId).toEqual([rows[0], rows[2]]);
  });

  it('cannot be deleted: there is no such route', async () => {
    const { id } = await createVault();
    await expectRefusal('not_found', vault.admin, 'DELETE', `/v1/vaults/${id}`);
    await expectRefusal('not_found', vault.admin, 'DELETE', `/v1/vaults?vault_ids=${id}`);
    await getVault(id);
  });
});

describe('a new wallet', () => {
  it.each(NETWORK_FAMILIES)(
    'of %s has the address of its key, which all three parties attest',
    async (family) => {
      const { id: vaultId } = await createVault();
      const wallet = await createWallet(vaultId, { network_family: family });
      const publicKey = Buffer.from(wallet.public_key.raw, 'base64');
      const { x } = createPublicKey(wallet.public_key.pem).export({ format: 'jwk' });
      expect(Buffer.from(x!, 'base64url')).toEqual(publicKey);
      expect(wallet).toMatchObject({
        vault_id: vaultId,
        network_family: family,
        networks: [`${family}-mainnet`],
        address: addressOf(family, publicKey),
        status: 'active',
      });
      expect(wallet.attestations.map((row) => row.party)).toEqual([1, 2, 3]);
      const attests = (party: number, change: object = {}) => {
        const row = wallet.attestations[party - 1]!;
        const identity = parties.find((known) => known.party === party)!;
        const message = keyAttestationMessage(
          {
            vaultId,
            keyId: wallet.key_id,
            keyType: 'ed25519',
            publicKey,
            address: wallet.address,
            ceremonyHash: Buffer.from(row.ceremony_hash, 'hex'),
            ...change,
          },
          genesisHash,
        );
        const identityKey = Buffer.from(identity.identityPublicKey, 'base64');
        return verifyEd25519(identityKey, message, Buffer.from(row.signature, 'base64'));
      };
      for (const party of [1, 2, 3]) {
        expect(attests(party)).toBe(true);
        expect(attests(party, { vaultId: randomUUID() })).toBe(false);
        expect(attests(party, { address: addressOf(family, Buffer.alloc(32, 3)) })).toBe(false);
      }
      const path = `/v1/vaults/${vaultId}/wallets/${wallet.address}`;
      expect(await expectOk<Wallet>(vault.admin, 'GET', path)).toEqual(wallet);
    },
  );

  it('has a key of its own, shared with no other wallet', async () => {
    const { id } = await createVault();
    const wallets = await Promise.all([createWallet(id), createWallet(id), createWallet(id)]);
    for (const field of ['id', 'key_id', 'address'] as const) {
      expect(new Set(wallets.map((wallet) => wallet[field])).size).toBe(3);
    }
    expect((await getVault(id)).wallet_count).toBe(3);
    const page = await expectOk<Page<Wallet>>(
      vault.admin,
      'GET',
      `/v1/vaults/${id}/wallets?addresses=${wallets[1]!.address}`,
    );
    expect(page.results).toEqual([wallets[1]]);
    const none = `/v1/vaults/${id}/wallets?network_family=sui`;
    expect(await expectOk<Page<Wallet>>(vault.admin, 'GET', none)).toMatchObject({ results: [] });
    const paged = await allPages<Wallet>(vault.admin, `/v1/vaults/${id}/wallets?limit=2`);
    expect(new Set(paged.map((row) => row.id))).toEqual(new Set(wallets.map((row) => row.id)));
  });

  it('needs a known family and vault, and well-formed input', async () => {
    const { id } = await createVault();
    const path = `/v1/vaults/${id}/wallets`;
    for (const body of [
      { network_family: 'bitcoin' },
      {},
      { network_family: 'solana', address: 'mine' },
      { network_family: 'solana', display_name: '' },
    ]) {
      await expectRefusal('invalid_inputs', vault.admin, 'POST', path, body);
    }
    await expectRefusal('parse_error', vault.admin, 'POST', path, { network_family: 1 });
    const elsewhere = `/v1/vaults/${randomUUID()}/wallets`;
    const body = { network_family: 'solana' };
    await expectRefusal('resource_not_found', vault.admin, 'POST', elsewhere, body);
    await expectRefusal('resource_not_found', vault.admin, 'GET', elsewhere);
    expect((await getVault(id)).wallet_count).toBe(0);
  });

  it('is made in the background where the caller prefers: its request becomes completed', async () => {
    const { id } = await createVault();
    const target = `/v1/vaults/${id}/wallets`;
    const body = { network_family: 'near', display_name: 'later' };
    const accepted = await call(vault.admin, 'POST', target, body, { prefer: 'respond-async' });
    expect(accepted.status).toBe(202);
    const { request_id: requestId } = accepted.body as { request_id: string };
    const record = await eventually(async () => {
      const found = await expectOk<{ status: string; result?: Wallet }>(
        vault.admin,
        'GET',
        `/v1/requests/${requestId}`,
      );
      if (found.status === 'processing') {
        // a wallet without an address cannot be seen
        const page = await expectOk<Page<Wallet>>(vault.admin, 'GET', target);
        if (page.results.length > 0) expect(page.results[0]!.address).not.toBe('');
        return undefined;
      }
      return found;
    });
    expect(record).toMatchObject({
      request_id: requestId,
      operation: 'create-wallet',
      status: 'completed',
      created_by: vault.adminId,
      result: { display_name: 'later', vault_id: id, network_family: 'near' },
    });
    const wallet = record.result!;
    expect(await expectOk<Wallet>(vault.admin, 'GET', `${target}/${wallet.address}`)).toEqual(
      wallet,
    );
  });

  it('is invisible, with its key, while the parties are still making it', async () => {
    const { id } = await createVault();
    const target = `/v1/vaults/${id}/wallets`;
    const keys = () => allPages<Key>(vault.admin, '/v1/keys?limit=100');
    const keysBefore = await keys();
    // a key needs all three parties
    const party = vault.stack.signers[2]!;
    party.kill('SIGSTOP');
    try {
      const body = { network_family: 'solana' };
      const accepted = await call(vault.admin, 'POST', target, body, { prefer: 'wait=1' });
      expect(accepted.status).toBe(202);
      const { request_id: requestId } = accepted.body as { request_id: string };
      expect(await expectOk(vault.admin, 'GET', `/v1/requests/${requestId}`)).toMatchObject({
        status: 'processing',
        phase: 'working',
      });
      expect(await expectOk(vault.admin, 'GET', target)).toMatchObject({ results: [] });
      expect(await keys()).toEqual(keysBefore);
    } finally {
      party.kill('SIGCONT');
    }
    await eventually(async () => {
      const page = await expectOk<Page<Wallet>>(vault.admin, 'GET', target);
      return page.results.length === 1;
    }, 90_000);
    expect(await keys()).toHaveLength(keysBefore.length + 1);
  }, 120_000);
});

describe('many wallets', () => {
  it('are made by one request, and fall under a group by their labels', async () => {
    const { id: vaultId } = await createVault();
    const labels = { desk: name('desk') };
    const group = await expectOk<{ id: string }>(vault.admin, 'POST', '/v1/security-groups', {
      display_name: name('group'),
      selector: { labels },
    });
    const wallets = Array.from({ length: 40 }, () => ({ network_family: 'solana', labels }));
    const path = `/v1/vaults/${vaultId}/wallets`;
    const { results } = await expectOk<{ results: Wallet[] }>(
      vault.admin,
      'POST',
      `${path}/bulk`,
      { wallets },
      { prefer: 'wait=60' },
    );
    expect(new Set(results.map(({ address }) => address)).size).toBe(40);
    expect((await getVault(vaultId)).wallet_count).toBe(40);
    const listed = await allPages<Wallet>(
      vault.admin,
      `${path}?security_group_id=${group.id}&limit=30`,
    );
    expect(listed).toEqual(results);
    const none = `${path}?security_group_id=${randomUUID()}`;
    expect(await expectOk(vault.admin, 'GET', none)).toMatchObject({ results: [] });
  });
});

describe('a request', () => {
  it('that is refused has the id that its answer names, in its record and in the audit log', async () => {
    const { display_name: taken } = await createVault();
    const body = { display_name: taken };
    const refused = await vault.admin.send({ method: 'POST', target: '/v1/vaults', body });
    expect(refused.status).toBe(409);
    const id = String(refused.headers['x-request-id']);
    expect(await expectOk(vault.admin, 'GET', `/v1/requests/${id}`)).toMatchObject({
      status: 'rejected',
      operation: 'create-vault',
      error: refused.body,
    });
    const page = await expectOk<Page<object>>(
      vault.admin,
      'GET',
      `/v1/audit-logs?request_id=${id}`,
    );
    expect(page.results).toMatchObject([{ outcome: 'denied', request_id: id }]);
  });

  it('shows its result to whoever made it, and not to others who may view everything', async () => {
    const made = await vault.admin.send({
      method: 'POST',
      target: '/v1/vaults',
      body: { display_name: name('vault') },
    });
    const path = `/v1/requests/${String(made.headers['x-request-id'])}`;
    const viewer = await vault.createMachine();
    await grant(vault, viewer.id, 'view_system_resources');
    const { result, ...others } = await expectOk<{ result: unknown }>(vault.admin, 'GET', path);
    expect(result).toEqual(made.body);
    expect(await expectOk(viewer.client, 'GET', path)).toEqual(others);
  });
});

describe('an existing wallet', () => {
  it('is renamed and nothing else', async () => {
    const { id } = await createVault();
    const wallet = await createWallet(id);
    const path = `/v1/vaults/${id}/wallets/${wallet.address}`;
    const updated = await expectOk<Wallet>(vault.admin, 'PUT', path, { display_name: 'hot' });
    expect(updated).toMatchObject({ ...wallet, ...stampsOf(updated), display_name: 'hot' });
    const body = { display_name: 'x', address: 'y' };
    await expectRefusal('invalid_inputs', vault.admin, 'PUT', path, body);
    const other = await createVault();
    await expectRefusal(
      'resource_not_found',
      vault.admin,
      'PUT',
      `/v1/vaults/${other.id}/wallets/${wallet.address}`,
      { display_name: 'x' },
    );
  });

  it('is removed only when frozen, all or none; its key is kept, disabled', async () => {
    const { id } = await createVault();
    const [frozen, active] = await Promise.all([createWallet(id), createWallet(id)]);
    const path = `/v1/vaults/${id}/wallets`;
    await expectOk(vault.admin, 'POST', `${path}/freeze?addresses=${frozen.address}`);
    const both = `${path}?addresses=${frozen.address},${active.address}`;
    await expectRefusal('resource_conflict', vault.admin, 'DELETE', both, undefined, 'frozen');
    const strange = `${path}?addresses=${frozen.address},unknown`;
    await expectRefusal('resource_not_found', vault.admin, 'DELETE', strange);
    expect((await getVault(id)).wallet_count).toBe(2);
    await expectOk(vault.admin, 'DELETE', `${path}?addresses=${frozen.address}`);
    await expectRefusal('resource_not_found', vault.admin, 'GET', `${path}/${frozen.address}`);
    expect((await getVault(id)).wallet_count).toBe(1);
    const key = await expectOk<Key>(vault.admin, 'GET', `/v1/keys/${frozen.key_id}`);
    expect(key).toMatchObject({ status: 'disabled', wallet_id: frozen.id });
  });

  it('leaves its security groups when it is removed', async () => {
    const wallet = await vault.createWallet();
    const path = `/v1/vaults/${wallet.vaultId}/wallets`;
    await expectOk(vault.admin, 'POST', `${path}/freeze?addresses=${wallet.address}`);
    await expectOk(vault.admin, 'DELETE', `${path}?addresses=${wallet.address}`);
    expect(
      await expectOk(vault.admin, 'GET', `/v1/security-groups/${wallet.groupId}`),
    ).toMatchObject({ members: [] });
    const body = { message: Buffer.from('x').toString('base64') };
    const target = `${wallet.path}/raw-sign`;
    await expectRefusal('resource_not_found', vault.admin, 'POST', target, body);
  });
});

function stampsOf(row: object): object {
  const entries = Object.entries(row).filter(([field]) => field.startsWith('last_updated'));
  return Object.fromEntries(entries);
}
