import { randomUUID } from 'node:crypto';
import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import type { RawClient } from '../client/dist/calls/raw-client.js';
import { allPages, call, expectRefusal, type Page } from './support/api.ts';
import {
  expectOk,
  openTestVault,
  PATIENT,
  type TestUser,
  type TestVault,
  type TestWallet,
} from './support/test-vault.ts';

let vault: TestVault;
let bot: TestUser;
let wallet: TestWallet;
let venueKey: { id: string };

beforeAll(async () => {
  vault = await openTestVault();
  bot = await vault.createMachine();
  wallet = await vault.createWallet({ initiators: [bot.id] });
  venueKey = await createVenueKey('venue_a');
}, 60_000);
afterAll(() => vault?.close(), 60_000);

const post = <Answer = unknown>(target: string, body?: unknown) =>
  expectOk<Answer>(vault.admin, 'POST', target, body);

/** A key that the bot may sign with. */
async function createVenueKey(venueId: string): Promise<{ id: string }> {
  const key = await expectOk<{ id: string }>(
    vault.admin,
    'POST',
    '/v1/keys',
    { type: 'ed25519', display_name: `key ${randomUUID()}`, venue_id: venueId },
    { prefer: 'wait=30' },
  );
  const group = await expectOk<{ id: string }>(vault.admin, 'POST', '/v1/security-groups', {
    display_name: `group ${randomUUID()}`,
    members: [{ member_id: key.id, member_type: 'key' }],
  });
  await post('/v1/signing-policies', {
    display_name: 'the bot signs',
    security_group_id: group.id,
    rules: [
      {
        display_name: 'allow',
        when: { operations: ['raw_sign'], initiators: { user_ids: [bot.id] } },
        then: 'allow',
      },
    ],
  });
  return key;
}

type Request = [method: string, target: string, body?: unknown];
const MESSAGE = Buffer.from('hello').toString('base64');
const walletSigning = (at = wallet): Request => [
  'POST',
  `${at.path}/raw-sign`,
  { message: MESSAGE },
];
const keySigning = (keyId = venueKey.id): Request => [
  'POST',
  `/v1/keys/${keyId}/raw-sign`,
  { message: 'hello', message_encoding: 'utf8' },
];

describe('a freeze', () => {
  interface Scope {
    readonly name: string;
    target(action: 'freeze' | 'unfreeze'): string;
    stops: () => Request;
    status?: () => string;
  }
  const SCOPES: Scope[] = [
    {
      name: 'system',
      target: (action) => `/v1/system/${action}`,
      stops: walletSigning,
    },
    {
      name: 'vault',
      target: (action) => `/v1/vaults/${action}?vault_ids=${wallet.vaultId}`,
      stops: walletSigning,
      status: () => `/v1/vaults/${wallet.vaultId}`,
    },
    {
      name: 'wallet',
      target: (action) =>
        `/v1/vaults/${wallet.vaultId}/wallets/${action}?addresses=${wallet.address}`,
      stops: walletSigning,
      status: () => wallet.path,
    },
    {
      name: 'key',
      target: (action) => `/v1/keys/${action}?key_ids=${venueKey.id},${wallet.keyId}`,
      stops: keySigning,
      status: () => `/v1/keys/${venueKey.id}`,
    },
    {
      name: 'venue',
      target: (action) => `/v1/keys/${action}?venue_id=venue_a`,
      stops: keySigning,
      status: () => `/v1/keys/${venueKey.id}`,
    },
  ];

  it.each(SCOPES)('of the $name stops signing, naming it, until it is lifted', async (scope) => {
    const [method, target, body] = scope.stops();
    await expectOk(bot.client, method, target, body);
    await post(scope.target('freeze'), { reason: 'drill' });
    await expectRefusal('forbidden', bot.client, method, target, body, `${scope.name} is frozen`);
    if (scope.status !== undefined) {
      expect(await expectOk(vault.admin, 'GET', scope.status())).toMatchObject({
        status: 'frozen',
        frozen_by: [{ scope: scope.name, reason: 'drill' }],
      });
    }
    const inForce = await allPages<{ scope: string; reason: string }>(
      vault.admin,
      '/v1/freezes?limit=1',
    );
    expect(inForce).toContainEqual(expect.objectContaining({ scope: scope.name, reason: 'drill' }));
    await post(scope.target('unfreeze'));
    await expectOk(bot.client, method, target, body);
    if (scope.status !== undefined) {
      expect(await expectOk(vault.admin, 'GET', scope.status())).toMatchObject({
        status: 'active',
      });
    }
  });

  it('of a user makes every request of it 401, reads included', async () => {
    await post(`/v1/users/freeze?user_ids=${bot.id}`);
    await expectRefusal('unauthorized', bot.client, ...walletSigning());
    await expectRefusal('unauthorized', bot.client, 'GET', '/v1/whoami');
    const path = `/v1/users/${bot.id}`;
    expect(await expectOk(vault.admin, 'GET', path)).toMatchObject({ status: 'frozen' });
    await post(`/v1/users/unfreeze?user_ids=${bot.id}`);
    await expectOk(bot.client, ...walletSigning());
    const lifted = await expectOk(vault.admin, 'GET', path);
    expect(lifted).toMatchObject({ status: 'active' });
    expect(lifted).not.toHaveProperty('frozen_at');
  });

  it('of a user leaves what it stopped in the audit log, and nothing of who does not prove to be them', async () => {
    const [frozen, other] = [await vault.createMachine(), await vault.createMachine()];
    await post(`/v1/users/freeze?user_ids=${frozen.id}`);
    const tried = async (credential = frozen.credential) => {
      const [method, target, body] = walletSigning();
      return vault.clientFor(credential).send({ method, target, body });
    };
    const { privateKey } = other.credential;
    for (let n = 0; n < 3; n++) {
      expect((await tried({ ...frozen.credential, privateKey })).status).toBe(401);
    }
    const stopped = await tried();
    expect(stopped.status).toBe(401);
    const found = async () =>
      (
        await allPages<{ request_id: string; details: { reason: string } }>(
          vault.admin,
          `/v1/audit-logs?user_ids=${frozen.id}&outcome=denied`,
        )
      ).filter(({ details }) => /^the user is frozen/.test(details.reason));
    const requestId = String(stopped.headers['x-request-id']);
    expect(await found()).toMatchObject([{ action: 'raw-sign', request_id: requestId }]);
    expect(await expectOk(vault.admin, 'GET', `/v1/requests/${requestId}`)).toMatchObject({
      status: 'rejected',
      created_by: frozen.id,
      error: { err_type: 'unauthorized', err_msg: 'the user is frozen' },
    });
    for (let n = 0; n < 60; n++) await tried();
    expect((await found()).length).toBeLessThanOrEqual(21);
    await post(`/v1/users/unfreeze?user_ids=${frozen.id}`);
    expect((await tried()).status).toBe(403);
  });

  it.each(SCOPES)('of the $name twice is 200, and so is lifting it twice', async ({ target }) => {
    for (const action of ['freeze', 'unfreeze'] as const) {
      const first = await post(target(action));
      expect(await post(target(action))).toEqual(first);
      expect(first).toMatchObject({ status: action === 'freeze' ? 'frozen' : 'active' });
    }
  });

  it('keeps its first time when it is repeated', async () => {
    const user = await vault.createMachine();
    const frozenAt = async () => {
      await post(`/v1/users/freeze?user_ids=${user.id}`);
      return (await expectOk<{ frozen_at: string }>(vault.admin, 'GET', `/v1/users/${user.id}`))
        .frozen_at;
    };
    const first = await frozenAt();
    expect(await frozenAt()).toBe(first);
  });

  it('is lifted scope by scope: each holds by itself', async () => {
    const [, , walletScope, keyScope] = SCOPES;
    const scopes = [SCOPES[0]!, SCOPES[1]!, walletScope!, keyScope!];
    for (const scope of scopes) await post(scope.target('freeze'));
    for (const scope of scopes) {
      await expectRefusal('forbidden', bot.client, ...walletSigning(), `${scope.name} is frozen`);
      await post(scope.target('unfreeze'));
    }
    await expectOk(bot.client, ...walletSigning());
  });

  it('of one wallet or vault leaves the others alone', async () => {
    const other = await vault.createWallet({ initiators: [bot.id] });
    await post(`/v1/vaults/freeze?vault_ids=${other.vaultId}`);
    await expectOk(bot.client, ...walletSigning());
    await expectRefusal('forbidden', bot.client, ...walletSigning(other));
    const target = `/v1/vaults/${other.vaultId}/wallets`;
    const body = { network_family: 'solana' };
    await expectRefusal('forbidden', vault.admin, 'POST', target, body, 'vault is frozen');
  });

  it('of a venue holds for keys that are made later', async () => {
    await post('/v1/keys/freeze?venue_id=binance');
    const key = await createVenueKey('binance');
    await expectRefusal('forbidden', bot.client, ...keySigning(key.id), 'venue is frozen');
    await expectOk(bot.client, ...keySigning());
    await post('/v1/keys/unfreeze?venue_id=binance');
    await expectOk(bot.client, ...keySigning(key.id));
  });

  it('freezes all that is named or nothing', async () => {
    const targets = [
      `/v1/vaults/freeze?vault_ids=${wallet.vaultId},${randomUUID()}`,
      `/v1/users/freeze?user_ids=${bot.id},${randomUUID()}`,
      `/v1/keys/freeze?key_ids=${venueKey.id},${randomUUID()}`,
      `/v1/vaults/${wallet.vaultId}/wallets/freeze?addresses=${wallet.address},unknown`,
    ];
    for (const target of targets) {
      await expectRefusal('resource_not_found', vault.admin, 'POST', target);
    }
    await expectOk(bot.client, ...walletSigning());
    await expectOk(bot.client, ...keySigning());
  });

  it('needs one scope, named well', async () => {
    for (const query of ['', `?venue_id=a&key_ids=${venueKey.id}`]) {
      const target = `/v1/keys/freeze${query}`;
      await expectRefusal('invalid_inputs', vault.admin, 'POST', target);
    }
    const system = '/v1/system/freeze';
    const long = { reason: 'x'.repeat(513) };
    await expectRefusal('invalid_inputs', vault.admin, 'POST', system, long);
    await expectRefusal('invalid_inputs', vault.admin, 'POST', system, { until: 'noon' });
    await expectRefusal('parse_error', vault.admin, 'POST', system, { reason: 1 });
    await expectRefusal('parse_error', vault.admin, 'POST', '/v1/vaults/freeze?vault_ids=a,');
    await expectOk(bot.client, ...walletSigning());
  });

  describe('of the system', () => {
    afterEach(() => post('/v1/system/unfreeze'));

    it('leaves reads, freezes and unfreezes, and nothing else', async () => {
      expect(await expectOk(vault.admin, 'GET', '/v1/info')).toMatchObject({ system_freeze: null });
      await post('/v1/system/freeze');
      expect(await expectOk(vault.admin, 'GET', '/v1/info')).toMatchObject({
        system_freeze: { at: expect.any(String) },
      });
      for (const [method, target, body] of [
        ['POST', '/v1/vaults', { display_name: 'x' }],
        ['POST', `/v1/vaults/${wallet.vaultId}/wallets`, { network_family: 'near' }],
        ['PUT', wallet.path, { display_name: 'x' }],
        ['POST', '/v1/keys', { type: 'ed25519', display_name: 'x' }],
        ['PUT', `/v1/users/${bot.id}`, { display_name: 'x' }],
        ['DELETE', `/v1/users?user_ids=${bot.id}`],
        ['POST', '/v1/user-groups', { display_name: 'x' }],
        ['POST', '/v1/security-groups', { display_name: 'x' }],
        ['DELETE', `/v1/signing-policies/${wallet.policyId}`],
        ['PATCH', '/v1/system-settings', { version: 1 }],
      ] as Request[]) {
        await expectRefusal('forbidden', vault.admin, method, target, body, 'system is frozen');
      }
      for (const target of ['/v1/users', '/v1/vaults', '/v1/keys', '/v1/audit-logs', wallet.path]) {
        await expectOk(vault.admin, 'GET', target);
      }
      await post(`/v1/users/freeze?user_ids=${bot.id}`);
      await post(`/v1/users/unfreeze?user_ids=${bot.id}`);
      await post(`/v1/vaults/freeze?vault_ids=${wallet.vaultId}`);
      await post(`/v1/vaults/unfreeze?vault_ids=${wallet.vaultId}`);
      await expectRefusal('forbidden', bot.client, ...walletSigning(), 'system is frozen');
    });
  });
});

describe('system settings', () => {
  interface Settings {
    version: number;
    testnets_enabled: boolean;
    usd_value_conditions_enabled: boolean;
  }
  const path = '/v1/system-settings';
  const read = () => expectOk<Settings>(vault.admin, 'GET', path);
  const patch = async (fields: Partial<Settings>) =>
    expectOk<Settings>(vault.admin, 'PATCH', path, { version: (await read()).version, ...fields });
  const isEnabled = async (networkId: string) => {
    const info = await expectOk<{
      supported_blockchain_networks: { networks: { id: string; enabled: boolean }[] }[];
    }>(vault.admin, 'GET', '/v1/system-info');
    return info.supported_blockchain_networks
      .flatMap((family) => family.networks)
      .find((network) => network.id === networkId)?.enabled;
  };
  const devnetRules = [
    {
      display_name: 'devnet',
      when: { networks: ['solana-devnet'], initiators: 'anyone' },
      then: 'allow',
    },
  ];
  const createWallet = (vaultId: string, fields: object = {}) =>
    expectOk<{ address: string; networks: string[] }>(
      vault.admin,
      'POST',
      `/v1/vaults/${vaultId}/wallets`,
      { network_family: 'solana', ...fields },
      { prefer: 'wait=30' },
    );
  const removeWallet = async (vaultId: string, address: string) => {
    await post(`/v1/vaults/${vaultId}/wallets/freeze?addresses=${address}`);
    await expectOk(vault.admin, 'DELETE', `/v1/vaults/${vaultId}/wallets?addresses=${address}`);
  };

  it('change at their version alone, one field or both', async () => {
    const before = await read();
    const after = await patch({ usd_value_conditions_enabled: true });
    expect(after).toEqual({
      ...before,
      version: before.version + 1,
      usd_value_conditions_enabled: true,
    });
    expect(await read()).toEqual(after);
    for (const version of [before.version, after.version + 1]) {
      const body = { version, testnets_enabled: true };
      await expectRefusal('resource_conflict', vault.admin, 'PATCH', path, body);
    }
    await expectRefusal('invalid_inputs', vault.admin, 'PATCH', path, { testnets_enabled: true });
    await expectRefusal('parse_error', vault.admin, 'PATCH', path, { version: '1' });
    const body = { version: after.version, theme: 'dark' };
    await expectRefusal('invalid_inputs', vault.admin, 'PATCH', path, body);
    expect(await read()).toEqual(after);
    await patch({ usd_value_conditions_enabled: false });
  });

  it('change once when several race with one version', async () => {
    for (let round = 0; round < 5; round++) {
      const { version } = await read();
      const answers = await Promise.all(
        [true, false, true].map((enabled) =>
          call(vault.admin, 'PATCH', path, { version, usd_value_conditions_enabled: enabled }),
        ),
      );
      const statuses = answers.map((answer) => answer.status).toSorted((a, b) => a - b);
      expect(statuses).toEqual([200, 409, 409]);
      expect((await read()).version).toBe(version + 1);
    }
  });

  it('keep testnets out of every write while they are off', async () => {
    await patch({ testnets_enabled: false });
    expect(await isEnabled('solana-devnet')).toBe(false);
    expect(await isEnabled('solana-mainnet')).toBe(true);
    const body = {
      display_name: 'x',
      security_group_id: wallet.groupId,
      rules: devnetRules,
    };
    await expectRefusal('invalid_inputs', vault.admin, 'POST', '/v1/signing-policies', body);
    const transaction = { network_id: 'solana-devnet', transaction: MESSAGE };
    const target = `${wallet.path}/sign`;
    await expectRefusal('invalid_inputs', bot.client, 'POST', target, transaction, 'network_id');
    expect((await createWallet(wallet.vaultId)).networks).toEqual(['solana-mainnet']);
  });

  it('do not turn testnets off while a signing policy names one', async () => {
    await patch({ testnets_enabled: true });
    expect(await isEnabled('solana-devnet')).toBe(true);
    const policy = await expectOk<{ id: string }>(vault.admin, 'POST', '/v1/signing-policies', {
      display_name: 'devnet',
      security_group_id: wallet.groupId,
      rules: devnetRules,
    });
    const body = { version: (await read()).version, testnets_enabled: false };
    await expectRefusal('resource_conflict', vault.admin, 'PATCH', path, body, policy.id);
    await expectOk(vault.admin, 'DELETE', `/v1/signing-policies/${policy.id}`);
    await patch({ testnets_enabled: false });
    expect((await read()).testnets_enabled).toBe(false);
  });

  it('leave a wallet the networks that it was given, and free it of testnets by an update', async () => {
    const target = (address: string) => `/v1/vaults/${wallet.vaultId}/wallets/${address}`;
    const mainnet = ['solana-mainnet'];
    const both = ['solana-mainnet', 'solana-devnet'];
    await patch({ testnets_enabled: true });
    const plain = await createWallet(wallet.vaultId);
    expect(plain.networks).toEqual(mainnet);
    const asked = await createWallet(wallet.vaultId, { networks: both });
    expect(asked.networks).toEqual(both);
    const off = async () => ({ version: (await read()).version, testnets_enabled: false });
    const { id } = await expectOk<{ id: string }>(vault.admin, 'GET', target(asked.address));
    await expectRefusal('resource_conflict', vault.admin, 'PATCH', path, await off(), id);
    const freed = await expectOk<{ networks: string[] }>(
      vault.admin,
      'PUT',
      target(asked.address),
      { networks: mainnet },
    );
    expect(freed.networks).toEqual(mainnet);
    await patch({ testnets_enabled: false });
    for (const { address } of [plain, asked]) await removeWallet(wallet.vaultId, address);
  });

  type Setting = 'testnets_enabled' | 'usd_value_conditions_enabled';
  type Called = Awaited<ReturnType<typeof call>>;

  /** Turned off while something that needs it is created, each of the two sent first twice: both are never granted. */
  async function raceOff(
    setting: Setting,
    create: () => Promise<Called>,
    remove: (made: unknown) => Promise<unknown>,
  ): Promise<void> {
    for (let round = 0; round < 4; round++) {
      const { version } = await patch({ [setting]: true });
      const turnOff = () => call(vault.admin, 'PATCH', path, { version, [setting]: false });
      const inOrder = round % 2 === 0 ? [turnOff, create] : [create, turnOff];
      const answers = await Promise.all(inOrder.map((send) => send()));
      const [switched, created] = round % 2 === 0 ? answers : answers.toReversed();
      const isMade = created!.status === 200;
      expect([switched!.status, created!.status, (await read())[setting]]).toEqual(
        isMade ? [409, 200, true] : [200, 422, false],
      );
      if (!isMade) continue;
      await remove(created!.body);
      await patch({ [setting]: false });
    }
  }

  it('have testnets off, or in use: never both, when turning off races with a creation', async () => {
    const target = `/v1/vaults/${wallet.vaultId}/wallets`;
    const body = { network_family: 'solana', networks: ['solana-devnet'] };
    await raceOff(
      'testnets_enabled',
      () => call(vault.admin, 'POST', target, body, { prefer: 'wait=30' }),
      (made) => removeWallet(wallet.vaultId, (made as { address: string }).address),
    );
  });

  it('have USD conditions off, or in use: never both, when turning off races with a creation', async () => {
    const { id: groupId } = await post<{ id: string }>('/v1/security-groups', {
      display_name: `group ${randomUUID()}`,
      vault_ids: [wallet.vaultId],
    });
    const when = { operations: ['sign'], initiators: 'anyone', usd_value: { max: '1' } };
    const target = '/v1/signing-policies';
    const body = {
      display_name: 'up to a dollar',
      security_group_id: groupId,
      rules: [{ display_name: 'small', when, then: 'allow' }],
    };
    await raceOff(
      'usd_value_conditions_enabled',
      () => call(vault.admin, 'POST', target, body),
      (made) => expectOk(vault.admin, 'DELETE', `${target}/${(made as { id: string }).id}`),
    );
  });
});

describe('the audit log', () => {
  interface Entry {
    chain: string;
    seq: number;
    time: string;
    actor: string;
    action: string;
    resource: { type: string; ids: string[]; user_ids: string[]; key_ids: string[] };
    outcome: 'allowed' | 'denied' | 'failed';
    request_id: string | null;
    policy?: { id: string; version: number; rule_id?: string };
    details: Record<string, unknown>;
  }
  let actor: TestUser;
  let auditor: TestUser;
  let account: TestWallet;
  let startedAt: string;
  let endedAt: string;
  let victimId: string;
  const log = (query = '', client: RawClient = auditor.client) =>
    allPages<Entry>(client, `/v1/audit-logs?limit=100${query === '' ? '' : `&${query}`}`);
  const actionsOf = (entries: Entry[]) => entries.map((entry) => entry.action);
  const pause = () => new Promise((resolve) => setTimeout(resolve, 10));

  beforeAll(async () => {
    actor = await vault.createMachine();
    auditor = await vault.createMachine();
    await post('/v1/admin-policies', {
      display_name: 'auditor',
      action: 'view_audit_logs',
      effect: 'allow',
      subjects: { user_ids: [auditor.id] },
    });
    account = await vault.createWallet({ initiators: [actor.id], operations: ['raw_sign'] });
    victimId = (await vault.createMachine()).id;
    await pause();
    startedAt = new Date().toISOString();
    await expectOk(actor.client, ...walletSigning(account));
    await expectRefusal('forbidden', bot.client, ...walletSigning(account));
    await expectRefusal('forbidden', actor.client, 'POST', '/v1/vaults', { display_name: 'x' });
    await expectRefusal('forbidden', actor.client, 'GET', '/v1/users');
    const malformed = { message: '' };
    await expectRefusal(
      'invalid_inputs',
      actor.client,
      'POST',
      `${account.path}/raw-sign`,
      malformed,
    );
    const unknown = `/v1/user-groups/${randomUUID()}`;
    await expectRefusal('resource_not_found', vault.admin, 'DELETE', unknown);
    await expectOk(vault.admin, 'DELETE', `/v1/users?user_ids=${victimId}`);
    await expectOk(vault.admin, 'PUT', account.path, { display_name: 'audited' });
    await pause();
    endedAt = new Date().toISOString();
  }, 60_000);

  const span = () => `from=${startedAt}&to=${endedAt}`;

  it('has what was done, denied and refused, newest first', async () => {
    const entries = await log(span());
    expect(entries.map(({ action, actor: by, outcome }) => [action, by, outcome])).toEqual([
      ['update-wallet', vault.adminId, 'allowed'],
      ['delete-users', vault.adminId, 'allowed'],
      ['delete-user-group', vault.adminId, 'denied'],
      ['raw-sign', actor.id, 'denied'],
      ['list-users', actor.id, 'denied'],
      ['create-vault', actor.id, 'denied'],
      ['raw-sign', bot.id, 'denied'],
      ['raw-sign', actor.id, 'allowed'],
    ]);
    const times = entries.map((entry) => entry.time);
    expect(times).toEqual(times.toSorted().toReversed());
  });

  it('tells who signed what with which key under which rule', async () => {
    const [entry] = await log(`actions=raw-sign&outcome=allowed&${span()}`);
    const policyPath = `/v1/signing-policies/${account.policyId}`;
    const policy = await expectOk<{ version: number; rules: { id: string }[] }>(
      vault.admin,
      'GET',
      policyPath,
    );
    expect(entry).toMatchObject({
      actor: actor.id,
      resource: {
        key_ids: [account.keyId],
        vault_ids: [account.vaultId],
        wallet_addresses: [account.address],
      },
      policy: { id: account.policyId, version: policy.version, rule_id: policy.rules[0]!.id },
    });
    const record = await expectOk<{ status: string }>(
      vault.admin,
      'GET',
      `/v1/requests/${entry!.request_id}`,
    );
    expect(record.status).toBe('completed');
  });

  it('tells why a request was denied, and by which policy where one says so', async () => {
    const [denied] = await log(`actions=create-vault&${span()}`);
    expect(denied).toMatchObject({
      details: { err_type: 'forbidden', reason: expect.stringContaining('create_vaults') },
    });
    const deny = await expectOk<{ id: string }>(vault.admin, 'POST', '/v1/admin-policies', {
      display_name: 'deny',
      action: 'create_vaults',
      effect: 'deny',
      subjects: { user_ids: [actor.id] },
    });
    await expectRefusal('forbidden', actor.client, 'POST', '/v1/vaults', { display_name: 'x' });
    const [byPolicy] = await log('actions=create-vault');
    expect(byPolicy!.policy).toEqual({ id: deny.id, version: 1 });
  });

  it('has the idempotency conflicts of writes and signatures', async () => {
    const key = randomUUID();
    const keyed = (target: string, body: unknown) =>
      call(actor.client, 'POST', target, body, { 'idempotency-key': key, ...PATIENT });
    const target = `${account.path}/raw-sign`;
    expect((await keyed(target, { message: MESSAGE })).status).toBe(200);
    expect((await keyed(target, { message: 'AAAA' })).status).toBe(409);
    expect((await keyed('/v1/vaults', { display_name: 'x' })).status).toBe(409);
    const latest = await log(`user_ids=${actor.id}`);
    expect(latest.slice(0, 3).map(({ action, outcome }) => [action, outcome])).toEqual([
      ['create-vault', 'denied'],
      ['raw-sign', 'denied'],
      ['raw-sign', 'allowed'],
    ]);
  });

  it('is filtered by vault, wallet, key, user, action, outcome, request and time', async () => {
    const filtered = async (query: string) => actionsOf(await log(`${query}&${span()}`));
    const ofWallet = ['update-wallet', 'raw-sign', 'raw-sign', 'raw-sign'];
    expect(await filtered(`vault_ids=${account.vaultId}`)).toEqual(ofWallet);
    expect(await filtered(`vault_ids=${randomUUID()},${account.vaultId}`)).toEqual(ofWallet);
    expect(await filtered(`wallet_addresses=${account.address}`)).toEqual(ofWallet);
    expect(await filtered(`key_ids=${account.keyId}`)).toEqual(ofWallet);
    expect(await filtered(`user_ids=${actor.id}`)).toEqual([
      'raw-sign',
      'list-users',
      'create-vault',
      'raw-sign',
    ]);
    expect(await filtered(`user_ids=${victimId}`)).toEqual(['delete-users']);
    expect(await filtered('actions=delete-users,create-vault')).toEqual([
      'delete-users',
      'create-vault',
    ]);
    expect(await filtered('outcome=allowed')).toEqual([
      'update-wallet',
      'delete-users',
      'raw-sign',
    ]);
    expect(await filtered('outcome=failed')).toEqual([]);
    expect(await filtered(`outcome=denied&user_ids=${bot.id}`)).toEqual(['raw-sign']);
    const [entry] = await log(`actions=delete-users&${span()}`);
    expect(await filtered(`request_id=${entry!.request_id}`)).toEqual(['delete-users']);
    expect(await log(`from=${endedAt}&to=${startedAt}`)).toEqual([]);
    const always = 'from=0001-01-01T00:00:00Z&to=9999-12-31T23:59:59.999Z';
    expect((await log(`actions=delete-users&${always}`)).length).toBeGreaterThan(0);
  });

  it('includes the first moment of a span and leaves out the last', async () => {
    const [entry] = await log(`actions=delete-users&${span()}`);
    const next = new Date(Date.parse(entry!.time) + 1).toISOString();
    expect(await log(`actions=delete-users&from=${entry!.time}&to=${next}`)).toEqual([entry]);
    expect(await log(`actions=delete-users&from=${startedAt}&to=${entry!.time}`)).toEqual([]);
  });

  it('is paged without loss or repetition while entries are written', async () => {
    const whole = await log(span());
    const unbounded = await allPages<Entry>(
      auditor.client,
      `/v1/audit-logs?limit=3&from=${startedAt}`,
      async () => {
        await expectOk(actor.client, ...walletSigning(account));
        await expectOk(vault.admin, 'PUT', account.path, { display_name: 'paged' });
      },
    );
    const idOf = ({ chain, seq }: Entry) => `${chain} ${seq}`;
    const ids = unbounded.map(idOf);
    expect(new Set(ids).size).toBe(ids.length);
    expect(ids).toEqual(expect.arrayContaining(whole.map(idOf)));
    for (const limit of [1, 2, 5]) {
      const paged = await allPages<Entry>(
        auditor.client,
        `/v1/audit-logs?limit=${limit}&${span()}`,
      );
      expect(paged).toEqual(whole);
    }
  });

  it('refuses malformed filters and foreign cursors: 400, bad limits: 422', async () => {
    const page = await expectOk<Page<Entry>>(auditor.client, 'GET', '/v1/audit-logs?limit=1');
    for (const query of [
      'outcome=maybe',
      'vault_ids=',
      'user_ids=a',
      'wallet_addresses=a,,b',
      'actions=A%20B',
      'from=yesterday',
      'from=0000-12-31T23:59:59.999Z',
      'to=9999-12-31T23:59:59-00:01',
      'to=2020-01-01',
      'limit=x',
      'cursor=x',
      `actions=raw-sign&cursor=${page.next_cursor}`,
    ]) {
      const target = `/v1/audit-logs?${query}`;
      await expectRefusal('parse_error', auditor.client, 'GET', target);
    }
    const foreign = `/v1/audit-logs?limit=1&cursor=${page.next_cursor}`;
    await expectRefusal('parse_error', vault.admin, 'GET', foreign);
    await expectRefusal('invalid_inputs', auditor.client, 'GET', '/v1/audit-logs?limit=0');
    await expectRefusal('invalid_inputs', auditor.client, 'GET', '/v1/audit-logs?format=csv');
  });

  interface ForVerifying {
    readonly record?: unknown;
    readonly receipt?: unknown;
  }

  it('is exported as JSON lines, the same entries in the same order', async () => {
    const whole = await log(span());
    for (const query of [span(), `format=jsonl&${span()}`]) {
      const response = await auditor.client.get(`/v1/audit-logs/export?${query}`);
      expect(response.status).toBe(200);
      expect(response.headers['content-type']).toMatch(/^application\/jsonl/);
      const lines = response.text.trimEnd().split('\n');
      const entries = lines.map((line) => JSON.parse(line) as Entry & { record: unknown });
      const listed = new Set(whole.map(({ chain, seq }) => `${chain} ${seq}`));
      const shown = entries.filter(({ chain, seq }) => listed.has(`${chain} ${seq}`));
      const asListed = ({ record: _record, receipt: _receipt, ...entry }: Entry & ForVerifying) =>
        entry;
      expect(shown.map(asListed)).toEqual(whole);
      // an export is to be verified as a whole: it has what is hashed, and what parties say about the ledger
      for (const { record } of shown) expect(record).toBeDefined();
      expect(entries.map(({ action }) => action)).toContain('countersignature');
    }
  });

  it('is exported as CSV with a header, one line per entry', async () => {
    const whole = await log(`outcome=allowed&${span()}`);
    const target = `/v1/audit-logs/export?format=csv&outcome=allowed&${span()}`;
    const response = await auditor.client.get(target);
    expect(response.headers['content-type']).toMatch(/^text\/csv/);
    const [header, ...lines] = response.text.trimEnd().split('\r\n');
    expect(header).toMatch(/^time,chain,seq,actor,action,outcome,request_id,/);
    expect(lines.map((line) => line.split(',').slice(0, 7))).toEqual(
      whole.map((entry) => [
        entry.time,
        entry.chain,
        String(entry.seq),
        entry.actor,
        entry.action,
        entry.outcome,
        entry.request_id,
      ]),
    );
  });

  it('is exported for those alone who may view it, and for known formats', async () => {
    const target = '/v1/audit-logs/export';
    await expectRefusal('forbidden', actor.client, 'GET', target);
    expect(actionsOf(await log(`user_ids=${actor.id}`))[0]).toBe('export-audit-logs');
    await expectRefusal('parse_error', auditor.client, 'GET', `${target}?format=xml`);
    await expectRefusal('invalid_inputs', auditor.client, 'GET', `${target}?limit=1`);
  });
});
