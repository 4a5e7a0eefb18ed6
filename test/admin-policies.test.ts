import { createHash, createPublicKey, randomUUID, verify } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { approvalDigest } from '@countersign/core/approval.js';
import { ADMIN_POLICY_TYPES } from '@countersign/api/requests/admin-policy-types.js';
import type { RawClient } from '../client/dist/calls/raw-client.js';
import { allPages, call, expectRefusal, grant } from './support/api.ts';
import { actOf, ADMIN_OPERATIONS, type Act } from './support/operation-inputs.ts';
import {
  eventually,
  expectOk,
  newMachineKey,
  openTestVault,
  type TestUser,
  type TestVault,
  type TestWallet,
} from './support/test-vault.ts';

interface Policy {
  id: string;
  display_name: string;
  action: string;
  effect: string;
  subjects: { user_ids: string[]; user_group_ids: string[] };
  scope: { vault_ids?: string[] };
  version: number;
}

let vault: TestVault;
beforeAll(async () => {
  vault = await openTestVault();
}, 60_000);
afterAll(() => vault?.close(), 60_000);

const name = (what: string) => `${what} ${randomUUID()}`;
const machineBody = (fields: Record<string, unknown> = {}) => ({
  type: 'machine',
  display_name: name('bot'),
  public_key: newMachineKey().publicKey,
  ...fields,
});

const ACTS = ADMIN_OPERATIONS.map((operation) => ({
  ...actOf(operation),
  action: operation.action,
}));

async function statusOf({ client, credential }: TestUser, act: Act): Promise<number> {
  if (act.id === ENDLESS) return statusOfStream(credential.apiKey, act.target);
  const response = await call(client, act.method, act.target, act.body);
  if (act.id === 'freeze-system' && response.status === 200) {
    await expectOk(vault.admin, 'POST', '/v1/system/unfreeze');
  }
  return response.status;
}

/** Answers for as long as it is read. */
const ENDLESS = 'stream-system-operations';

async function statusOfStream(apiKey: string, target: string): Promise<number> {
  const reading = new AbortController();
  const { signal } = reading;
  const headers = { authorization: `ApiKey ${apiKey}` };
  const { status } = await fetch(`${vault.baseUrl}${target}`, { headers, signal });
  reading.abort();
  return status;
}

/** Passkeys are of people. */
const NEVER_OF_MACHINES = 'register-passkey';

describe('default deny', () => {
  it('lets a fresh user see only itself and its own requests', async () => {
    const user = await vault.createMachine();
    const allowed: string[] = [];
    for (const act of ACTS) {
      if ((await statusOf(user, act)) !== 403) allowed.push(act.id);
    }
    expect(allowed).toEqual([
      'delete-passkey',
      ...['approve-request', 'reject-request', 'cancel-request'],
      ...['whoami', 'get-import-recipients', 'list-requests', 'get-request'],
    ]);
  }, 60_000);

  it.each(ADMIN_POLICY_TYPES)(
    '%s is enough for exactly the operations that name it',
    async (action) => {
      const user = await vault.createMachine();
      await grant(vault, user.id, action);
      const allowed: string[] = [];
      const malformed: string[] = [];
      for (const act of ACTS) {
        const status = await statusOf(user, act);
        if (status !== 403) allowed.push(act.id);
        if (status === 400) malformed.push(act.id);
      }
      const named = ACTS.filter(
        ({ id, action: needed }) =>
          (needed === action || needed === 'self') && id !== NEVER_OF_MACHINES,
      );
      expect(allowed).toEqual(named.map((act) => act.id));
      expect(malformed).toEqual([]);
    },
    60_000,
  );

  it('gives rights by group as well, from the moment of joining to the moment of leaving', async () => {
    const group = await expectOk<{ id: string }>(vault.admin, 'POST', '/v1/user-groups', {
      display_name: name('viewers'),
    });
    await expectOk(vault.admin, 'POST', '/v1/admin-policies', {
      display_name: 'viewers view',
      action: 'view_system_resources',
      effect: 'allow',
      subjects: { user_group_ids: [group.id] },
    });
    const user = await vault.createMachine();
    await expectRefusal('forbidden', user.client, 'GET', '/v1/users');
    await expectOk(vault.admin, 'PUT', `/v1/users/${user.id}`, { user_group_ids: [group.id] });
    await expectOk(user.client, 'GET', '/v1/users');
    await expectOk(vault.admin, 'PUT', `/v1/users/${user.id}`, { user_group_ids: [] });
    await expectRefusal('forbidden', user.client, 'GET', '/v1/users');
  });
});

describe('an explicit deny', () => {
  it('wins over an allow, whichever came first', async () => {
    const user = await vault.createMachine();
    const deny = await grant(vault, user.id, 'create_vaults', { effect: 'deny' });
    await grant(vault, user.id, 'create_vaults');
    const body = { display_name: name('vault') };
    await expectRefusal('forbidden', user.client, 'POST', '/v1/vaults', body, 'create_vaults');
    await expectOk(vault.admin, 'DELETE', `/v1/admin-policies/${deny}`);
    await expectOk(user.client, 'POST', '/v1/vaults', body);
    await grant(vault, user.id, 'create_vaults', { effect: 'deny' });
    await expectRefusal('forbidden', user.client, 'POST', '/v1/vaults', {
      display_name: name('vault'),
    });
  });

  it('on one vault leaves the others, and forbids what touches them all', async () => {
    const [a, b] = await createVaults();
    const user = await vault.createMachine();
    await grant(vault, user.id, 'freeze');
    await grant(vault, user.id, 'freeze', { effect: 'deny', vaultIds: [a] });
    await expectRefusal('forbidden', user.client, 'POST', `/v1/vaults/freeze?vault_ids=${a}`);
    await expectRefusal('forbidden', user.client, 'POST', `/v1/vaults/freeze?vault_ids=${b},${a}`);
    await expectRefusal('forbidden', user.client, 'POST', '/v1/system/freeze');
    await expectOk(user.client, 'POST', `/v1/vaults/freeze?vault_ids=${b}`);
  });
});

async function createVaults(): Promise<[string, string]> {
  const ids: string[] = [];
  for (const which of ['A', 'B']) {
    const created = await expectOk<{ id: string }>(vault.admin, 'POST', '/v1/vaults', {
      display_name: name(`vault ${which}`),
    });
    ids.push(created.id);
  }
  return ids as [string, string];
}

describe('the administrator of one vault', () => {
  interface Side {
    wallet: TestWallet;
    groupId: string;
    policyId: string;
  }
  let user: TestUser;
  let own: Side;
  let other: Side;
  const rules = [{ display_name: 'no', when: {}, then: 'deny' }];

  beforeAll(async () => {
    own = await createSide();
    other = await createSide();
    user = await vault.createMachine();
    for (const action of [
      'manage_vaults',
      'manage_wallets',
      'manage_security_groups',
      'manage_signing_policies',
      'freeze',
      'unfreeze',
    ]) {
      await grant(vault, user.id, action, { vaultIds: [own.wallet.vaultId] });
    }
  }, 60_000);

  async function createSide(): Promise<Side> {
    const wallet = await vault.createWallet();
    const group = await expectOk<{ id: string }>(vault.admin, 'POST', '/v1/security-groups', {
      display_name: name('scoped'),
      vault_ids: [wallet.vaultId],
    });
    const policy = await expectOk<{ id: string }>(vault.admin, 'POST', '/v1/signing-policies', {
      display_name: 'scoped',
      security_group_id: group.id,
      rules,
    });
    return { wallet, groupId: group.id, policyId: policy.id };
  }

  /** What the scope covers, on one vault or the other. */
  const actsOn = ({ wallet, groupId, policyId }: Side): [string, string, unknown?][] => {
    const member = wallet.walletId;
    const wallets = `/v1/vaults/${wallet.vaultId}/wallets`;
    const group = `/v1/security-groups/${groupId}`;
    const policy = `/v1/signing-policies/${policyId}`;
    const add = [{ member_id: member, member_type: 'wallet' }];
    return [
      ['PUT', `/v1/vaults/${wallet.vaultId}`, { description: 'mine' }],
      ['POST', wallets, { network_family: 'near' }],
      ['PUT', wallet.path, { display_name: 'mine' }],
      ['PUT', `${group}/members/${member}`],
      ['DELETE', `${group}/members?member_ids=${member}`],
      ['PATCH', `${group}/members`, { add }],
      ['PUT', group, { display_name: name('mine') }],
      ['PUT', policy, { display_name: 'mine', rules, version: 1 }],
      ['PUT', `${group}/signing-policy-order`, { signing_policy_ids: [policyId] }],
      ['POST', '/v1/signing-policies', { display_name: 'x', security_group_id: groupId, rules }],
      ['POST', '/v1/security-groups', { display_name: name('x'), vault_ids: [wallet.vaultId] }],
      ['POST', `/v1/vaults/freeze?vault_ids=${wallet.vaultId}`],
      ['POST', `/v1/vaults/unfreeze?vault_ids=${wallet.vaultId}`],
      ['POST', `${wallets}/freeze?addresses=${wallet.address}`],
      ['POST', `${wallets}/unfreeze?addresses=${wallet.address}`],
      ['DELETE', policy],
    ];
  };

  it("cannot touch another vault's wallets, groups, policies or freezes", async () => {
    const acts = actsOn(other);
    acts.push(['DELETE', `/v1/vaults/${other.wallet.vaultId}/wallets?addresses=abc`]);
    acts.push(['DELETE', `/v1/security-groups/${other.groupId}`]);
    for (const [method, target, body] of acts) {
      await expectRefusal('forbidden', user.client, method, target, body);
    }
  });

  it('cannot act where no vault or another one is named too', async () => {
    const [a, b] = [own.wallet.vaultId, other.wallet.vaultId];
    for (const [method, target, body] of [
      ['POST', '/v1/vaults', { display_name: name('x') }],
      ['POST', '/v1/security-groups', { display_name: name('x') }],
      ['POST', '/v1/security-groups', { display_name: name('x'), vault_ids: [a, b] }],
      ['PUT', `/v1/security-groups/${own.wallet.groupId}`, { display_name: name('x') }],
      ['DELETE', `/v1/signing-policies/${own.wallet.policyId}`],
      ['POST', `/v1/vaults/freeze?vault_ids=${a},${b}`],
      ['POST', `/v1/users/freeze?user_ids=${vault.adminId}`],
      ['POST', '/v1/keys/freeze?venue_id=kraken'],
      ['POST', `/v1/keys/freeze?key_ids=${own.wallet.keyId}`],
      ['POST', '/v1/system/freeze'],
    ] as [string, string, unknown?][]) {
      await expectRefusal('forbidden', user.client, method, target, body);
    }
    const untouched = await expectOk<{ status: string }>(vault.admin, 'GET', `/v1/vaults/${a}`);
    expect(untouched.status).toBe('active');
  });

  it("cannot draw another vault's wallet or a free key into a group of its own", async () => {
    const key = await expectOk<{ id: string }>(
      vault.admin,
      'POST',
      '/v1/keys',
      { type: 'ed25519', display_name: 'free' },
      { prefer: 'wait=30' },
    );
    for (const [id, type] of [
      [other.wallet.walletId, 'wallet'],
      [key.id, 'key'],
    ]) {
      const target = `/v1/security-groups/${own.groupId}/members`;
      const add = [{ member_id: id, member_type: type }];
      await expectRefusal('invalid_inputs', user.client, 'PATCH', target, { add });
      await expectRefusal('invalid_inputs', user.client, 'PUT', `${target}/${id}`);
    }
  });

  it('can do all of it in its own vault', async () => {
    for (const [method, target, body] of actsOn(own)) {
      await expectOk(user.client, method, target, body, { prefer: 'wait=30' });
    }
  }, 60_000);
});

describe('an administrative policy', () => {
  const body = (fields: Record<string, unknown> = {}) => ({
    display_name: 'freezers',
    action: 'freeze',
    effect: 'allow',
    subjects: { user_ids: [vault.adminId] },
    ...fields,
  });

  it('is created, read, listed, replaced at its version and deleted', async () => {
    const [a] = await createVaults();
    const created = await expectOk<Policy>(
      vault.admin,
      'POST',
      '/v1/admin-policies',
      body({ scope: { vault_ids: [a] } }),
    );
    const path = `/v1/admin-policies/${created.id}`;
    expect(created).toMatchObject({
      action: 'freeze',
      effect: 'allow',
      subjects: { user_ids: [vault.adminId], user_group_ids: [] },
      scope: { vault_ids: [a] },
      version: 1,
    });
    expect(await expectOk<Policy>(vault.admin, 'GET', path)).toEqual(created);
    const listed = await allPages<Policy>(
      vault.admin,
      '/v1/admin-policies?limit=3&actions=freeze,unfreeze',
    );
    expect(listed).toContainEqual(created);
    expect(new Set(listed.map((policy) => policy.action))).toEqual(new Set(['freeze', 'unfreeze']));
    const replaced = await expectOk<Policy>(
      vault.admin,
      'PUT',
      path,
      body({ display_name: 'other', version: 1 }),
    );
    expect(replaced).toMatchObject({ display_name: 'other', scope: {}, version: 2 });
    await expectRefusal('resource_conflict', vault.admin, 'PUT', path, body({ version: 1 }));
    await expectRefusal('resource_conflict', vault.admin, 'PUT', path, body({ version: 3 }));
    await expectRefusal('invalid_inputs', vault.admin, 'PUT', path, body());
    await expectOk(vault.admin, 'DELETE', path);
    await expectRefusal('resource_not_found', vault.admin, 'GET', path);
    for (const one of [created, replaced]) {
      expect(await expectOk(vault.admin, 'GET', `${path}/versions/${one.version}`)).toEqual(one);
    }
    await expectRefusal('resource_not_found', vault.admin, 'GET', `${path}/versions/3`);
  });

  it.each<[string, (vaultId: string) => Record<string, unknown>]>([
    ['approvals', () => ({ approvals: { quorum: 1, user_ids: [vault.adminId] } })],
    ['a delay', () => ({ delay_s: 60 })],
    ['a quorum of nobody', () => ({ action: 'create_vaults', approvals: { quorum: 1 } })],
    ['a scope on what has none', (id) => ({ action: 'manage_users', scope: { vault_ids: [id] } })],
    ['an empty scope', () => ({ scope: { vault_ids: [] } })],
    ['a scope with an unknown vault', () => ({ scope: { vault_ids: [randomUUID()] } })],
    ['an unknown user', () => ({ subjects: { user_ids: [randomUUID()] } })],
    ['an unknown group', () => ({ subjects: { user_group_ids: [randomUUID()] } })],
    ['nobody', () => ({ subjects: {} })],
    ['a user twice', () => ({ subjects: { user_ids: [vault.adminId, vault.adminId] } })],
    ['an unknown action', () => ({ action: 'manage_everything' })],
    ['an unknown effect', () => ({ effect: 'maybe' })],
    ['an unknown field', () => ({ priority: 1 })],
  ])('refuses %s: 422', async (_what, fields) => {
    const [a] = await createVaults();
    const target = '/v1/admin-policies';
    await expectRefusal('invalid_inputs', vault.admin, 'POST', target, body(fields(a)));
  });
});

interface RequestRecord {
  request_id: string;
  status: string;
  phase?: string;
  result?: { id: string };
  digest: string;
  content: { transcript: string; method: string; path: string; query: string; body: string };
  created_by: string;
  approvals: { required: number; given: string[] };
  approved_at?: string[];
}

describe('a change that needs approvals', () => {
  let asking: TestUser;
  let first: TestUser;
  let second: TestUser;

  beforeAll(async () => {
    [asking, first, second] = [
      await vault.createMachine(),
      await vault.createMachine(),
      await vault.createMachine(),
    ];
    await expectOk(vault.admin, 'POST', '/v1/admin-policies', {
      display_name: 'vaults by two',
      action: 'create_vaults',
      effect: 'allow',
      subjects: { user_ids: [asking.id] },
      approvals: { quorum: 2, user_ids: [first.id, second.id] },
    });
  });

  const recordOf = (user: TestUser, id: string) =>
    expectOk<RequestRecord>(user.client, 'GET', `/v1/requests/${id}`);

  const waitingFor = async (user: TestUser) => {
    const target = '/v1/requests?awaiting_my_approval=true';
    const rows = await allPages<RequestRecord>(user.client, target);
    return rows.map(({ request_id: id }) => id);
  };

  async function ask(displayName: string): Promise<string> {
    const body = { display_name: displayName };
    const response = await call(asking.client, 'POST', '/v1/vaults', body, { prefer: 'wait=30' });
    expect(response.status).toBe(202);
    return (response.body as { request_id: string }).request_id;
  }

  const approve = (user: TestUser, id: string, digest: string) =>
    expectOk<RequestRecord>(user.client, 'POST', `/v1/requests/${id}/approve`, { digest });

  it('waits without holding its caller up, and is done when the second has approved', async () => {
    const wanted = name('by two');
    const id = await ask(wanted);
    const shown = await recordOf(first, id);
    expect(shown).toMatchObject({ status: 'processing', phase: 'awaiting_approval' });
    const { content, digest, created_by: requester } = shown;
    const body = Buffer.from(content.body, 'base64');
    expect(JSON.parse(body.toString())).toEqual({ display_name: wanted });
    const transcript = Buffer.from(content.transcript, 'hex');
    expect(approvalDigest({ ...content, body, transcript, requester }).toString('hex')).toBe(
      digest,
    );
    expect(await waitingFor(first)).toEqual([id]);
    expect(await waitingFor(asking)).toEqual([]);
    expect((await approve(first, id, digest)).approvals).toEqual({
      required: 2,
      given: [first.id],
    });
    const { approved_at: times } = await recordOf(first, id);
    expect(times).toEqual([expect.stringMatching(/^\d{4}-.*Z$/)]);
    expect(await waitingFor(first)).toEqual([]);
    expect(await approve(second, id, digest)).toMatchObject({ status: 'completed' });
    const { result } = await recordOf(asking, id);
    expect(result).toMatchObject({ display_name: wanted, created_by: asking.id });
    expect(await recordOf(second, id)).not.toHaveProperty('result');
    await expectOk(vault.admin, 'GET', `/v1/vaults/${result!.id}`);
  }, 30_000);

  it('is ended by a rejection or by its requester, and strangers do not see it', async () => {
    const stranger = await vault.createMachine();
    const [rejected, cancelled] = [await ask(name('no')), await ask(name('never'))];
    const [reject, cancel] = [
      `/v1/requests/${rejected}/reject`,
      `/v1/requests/${cancelled}/cancel`,
    ];
    await expectRefusal('resource_not_found', stranger.client, 'GET', `/v1/requests/${rejected}`);
    await expectRefusal('resource_not_found', stranger.client, 'POST', reject);
    await expectRefusal('forbidden', asking.client, 'POST', reject);
    await expectRefusal('forbidden', first.client, 'POST', cancel);
    await expectOk(first.client, 'POST', reject, { reason: 'not this one' });
    await expectOk(asking.client, 'POST', cancel);
    expect(await recordOf(asking, rejected)).toMatchObject({
      status: 'rejected',
      error: { err_msg: 'not this one' },
    });
    expect(await recordOf(first, cancelled)).toMatchObject({ status: 'cancelled' });
    const { digest } = await recordOf(first, rejected);
    const approval = { digest };
    const target = `/v1/requests/${rejected}/approve`;
    await expectRefusal('resource_conflict', second.client, 'POST', target, approval);
    const gone = await allPages<RequestRecord>(asking.client, '/v1/requests?status=cancelled');
    expect(gone.map(({ request_id: id }) => id)).toEqual([cancelled]);
  }, 30_000);

  it('takes effect after its delay, without anybody asking again', async () => {
    const user = await vault.createMachine();
    await expectOk(vault.admin, 'POST', '/v1/admin-policies', {
      display_name: 'vaults a little later',
      action: 'create_vaults',
      effect: 'allow',
      subjects: { user_ids: [user.id] },
      delay_s: 1,
    });
    const body = { display_name: name('later') };
    const response = await call(user.client, 'POST', '/v1/vaults', body);
    expect(response.status).toBe(202);
    const { request_id: id } = response.body as { request_id: string };
    const done = await eventually(async () => {
      const record = await recordOf(user, id);
      return record.status === 'completed' && record;
    });
    expect(done.result).toMatchObject(body);
    const audit = await expectOk<{ results: unknown[] }>(
      vault.admin,
      'GET',
      `/v1/audit-logs?vault_ids=${done.result!.id}`,
    );
    const decided = [expect.objectContaining({ request_id: id, actor: user.id })];
    expect(audit.results).toMatchObject([{ action: 'countersignature', details: { decided } }]);
  }, 30_000);
});

describe('a signature that needs approvals', () => {
  it('waits, is shown decoded, and is given once the second has approved, to its caller alone', async () => {
    const [bot, first, second] = [
      await vault.createMachine(),
      await vault.createMachine(),
      await vault.createMachine(),
    ];
    const wallet = await vault.createWallet();
    const path = `/v1/signing-policies/${wallet.policyId}`;
    const { version } = await expectOk<Policy>(vault.admin, 'GET', path);
    const when = { operations: ['raw_sign'], initiators: { user_ids: [bot.id] } };
    const then = { require_approvals: { quorum: 2, user_ids: [first.id, second.id, bot.id] } };
    const rules = [{ display_name: 'by two', when, then }];
    await expectOk(vault.admin, 'PUT', path, { version, display_name: name('by two'), rules });
    const message = Buffer.from('what two have read');
    const body = { message: message.toString('base64') };
    const asked = await call(bot.client, 'POST', `${wallet.path}/raw-sign`, body);
    expect(asked).toMatchObject({
      status: 202,
      body: {
        status: 'processing',
        phase: 'awaiting_approval',
        approvals: { required: 2, given: [] },
      },
    });
    const { request_id: id } = asked.body as { request_id: string };
    const read = (user: TestUser) =>
      expectOk<SigningRecord>(user.client, 'GET', `/v1/requests/${id}`);
    const { digest, facts, asked_by: askedBy } = await read(first);
    expect(facts).toMatchObject({
      operation: 'raw_sign',
      message_sha256: createHash('sha256').update(message).digest('hex'),
    });
    expect(askedBy).toMatchObject([{ policy_id: wallet.policyId, quorum: 2 }]);
    const waiting = '/v1/requests?awaiting_my_approval=true';
    expect(await allPages(first.client, waiting)).toMatchObject([{ request_id: id }]);
    expect(await allPages(bot.client, waiting)).toEqual([]);
    const approve = `/v1/requests/${id}/approve`;
    const rule_ids = askedBy.map(({ rule_id: rule }) => rule);
    await expectRefusal('forbidden', bot.client, 'POST', approve, { digest });
    await expectOk(first.client, 'POST', approve, { digest, rule_ids });
    expect((await read(bot)).status).toBe('processing');
    await expectOk(second.client, 'POST', approve, { digest, rule_ids });
    const done = await eventually(async () => {
      const record = await read(bot);
      return record.status === 'completed' && record;
    });
    const { signature, receipt } = done.result!;
    const x = Buffer.from(wallet.publicKey, 'base64').toString('base64url');
    const key = createPublicKey({ key: { kty: 'OKP', crv: 'Ed25519', x }, format: 'jwk' });
    expect(verify(null, message, key, Buffer.from(signature, 'base64'))).toBe(true);
    expect(receipt.approvals.map(({ user_id: user }) => user)).toEqual([first.id, second.id]);
    expect(await read(first)).not.toHaveProperty('result');
    const listed = await allPages<SigningRecord>(bot.client, '/v1/requests?status=completed');
    expect(listed).toMatchObject([{ request_id: id, status: 'completed' }]);
    expect(listed[0]).not.toHaveProperty('result');
    await expectRefusal('resource_conflict', second.client, 'POST', approve, { digest });
  }, 40_000);
});

interface SigningRecord {
  request_id: string;
  status: string;
  digest: string;
  facts: { operation: string; message_sha256: string };
  asked_by: { policy_id: string; rule_id: string; quorum: number }[];
  result?: { signature: string; receipt: { approvals: { user_id: string }[] } };
}

describe('the last way to change the administrative policy', () => {
  let policies: Policy[];
  let manager: TestUser;
  const text = 'nobody would be left';

  beforeAll(async () => {
    policies = await allPages<Policy>(
      vault.admin,
      '/v1/admin-policies?limit=100&actions=manage_admin_policies',
    );
    // the table test above gave this right to a user: what is left here is the administrator alone
    for (const policy of policies.filter((row) => !row.subjects.user_ids.includes(vault.adminId))) {
      await expectOk(vault.admin, 'DELETE', `/v1/admin-policies/${policy.id}`);
    }
    policies = policies.filter((row) => row.subjects.user_ids.includes(vault.adminId));
    manager = await vault.createMachine();
    await grant(vault, manager.id, 'manage_users');
    await grant(vault, manager.id, 'freeze');
  });

  const policy = () => policies[0]!;
  const path = () => `/v1/admin-policies/${policy().id}`;
  const bodyFor = (subjects: unknown, fields: Record<string, unknown> = {}) => ({
    display_name: policy().display_name,
    action: 'manage_admin_policies',
    effect: 'allow',
    subjects,
    ...fields,
  });

  it('is not deleted, replaced or denied', async () => {
    const { version } = policy();
    const me = { user_ids: [vault.adminId] };
    const human = await expectOk<{ id: string }>(vault.admin, 'POST', '/v1/users', {
      type: 'human',
      display_name: 'cannot sign yet',
      email: `${randomUUID()}@example.com`,
      cloud_provider: 'azure',
    });
    const passing = await vault.createMachine({
      expires_at: new Date(Date.now() + 3_600_000).toISOString(),
    });
    for (const [method, target, body] of [
      ['DELETE', path()],
      ['PUT', path(), bodyFor(me, { version, effect: 'deny' })],
      ['PUT', path(), bodyFor(me, { version, action: 'freeze' })],
      ['PUT', path(), bodyFor({ user_ids: [human.id] }, { version })],
      ['PUT', path(), bodyFor({ user_ids: [passing.id] }, { version })],
      ['POST', '/v1/admin-policies', bodyFor(me, { effect: 'deny' })],
    ] as [string, string, unknown?][]) {
      await expectRefusal('resource_conflict', vault.admin, method, target, body, text);
    }
  });

  it('does not go with its user: not deleted, frozen or given an expiry', async () => {
    const soon = new Date(Date.now() + 60_000).toISOString();
    for (const [client, method, target, body] of [
      [manager.client, 'DELETE', `/v1/users?user_ids=${vault.adminId}`],
      [manager.client, 'POST', `/v1/users/freeze?user_ids=${vault.adminId}`],
      [vault.admin, 'POST', `/v1/users/freeze?user_ids=${vault.adminId}`],
      [vault.admin, 'PUT', `/v1/users/${vault.adminId}`, { expires_at: soon }],
    ] as [RawClient, string, string, unknown?][]) {
      await expectRefusal('resource_conflict', client, method, target, body, text);
    }
  });

  it('does not go with a group: neither by leaving it nor by deleting it', async () => {
    const group = await expectOk<{ id: string }>(vault.admin, 'POST', '/v1/user-groups', {
      display_name: name('administrators'),
    });
    const me = `/v1/users/${vault.adminId}`;
    await expectOk(vault.admin, 'PUT', me, { user_group_ids: [group.id] });
    const replaced = await expectOk<Policy>(
      vault.admin,
      'PUT',
      path(),
      bodyFor({ user_group_ids: [group.id] }, { version: policy().version }),
    );
    const leave = { user_group_ids: [] };
    await expectRefusal('resource_conflict', vault.admin, 'PUT', me, leave, text);
    const target = `/v1/user-groups/${group.id}`;
    await expectRefusal('resource_conflict', vault.admin, 'DELETE', target);
    const deny = bodyFor({ user_group_ids: [group.id] }, { effect: 'deny' });
    const policiesPath = '/v1/admin-policies';
    await expectRefusal('resource_conflict', vault.admin, 'POST', policiesPath, deny, text);
    const back = bodyFor({ user_ids: [vault.adminId] }, { version: replaced.version });
    policies = [await expectOk<Policy>(vault.admin, 'PUT', path(), back)];
    await expectOk(vault.admin, 'PUT', me, leave);
  });

  it('goes once somebody else has it too', async () => {
    const second = await vault.createMachine();
    await grant(vault, second.id, 'manage_admin_policies');
    // the administrator could be the last who may unfreeze as well
    await expectOk(second.client, 'POST', '/v1/admin-policies', {
      display_name: 'help',
      action: 'unfreeze',
      effect: 'allow',
      subjects: { user_ids: [second.id] },
    });
    await expectOk(manager.client, 'POST', `/v1/users/freeze?user_ids=${vault.adminId}`);
    await expectOk(second.client, 'POST', `/v1/users/unfreeze?user_ids=${vault.adminId}`);
  });
});

describe('no way to rights one does not have', () => {
  const rights = async (...actions: string[]) => {
    const user = await vault.createMachine();
    for (const action of actions) await grant(vault, user.id, action);
    return user;
  };
  const groupWith = async (action?: string) => {
    const group = await expectOk<{ id: string }>(vault.admin, 'POST', '/v1/user-groups', {
      display_name: name('group'),
    });
    if (action !== undefined) {
      await expectOk(vault.admin, 'POST', '/v1/admin-policies', {
        display_name: action,
        action,
        effect: 'allow',
        subjects: { user_group_ids: [group.id] },
      });
    }
    return group.id;
  };
  const rekey = () => ({ public_key: newMachineKey().publicKey });

  it('manage_users alone puts nobody into a group, whatever the group may do', async () => {
    const { id, client } = await rights('manage_users');
    const body = { user_group_ids: [await groupWith()] };
    const text = 'manage_user_groups';
    await expectRefusal('forbidden', client, 'POST', '/v1/users', machineBody(body), text);
    await expectRefusal('forbidden', client, 'PUT', `/v1/users/${id}`, body, text);
    const user = await expectOk<{ id: string }>(client, 'POST', '/v1/users', machineBody());
    await expectRefusal('forbidden', client, 'PUT', `/v1/users/${user.id}`, body, text);
    const member = await vault.createMachine(body);
    const out = { user_group_ids: [] };
    await expectRefusal('forbidden', client, 'PUT', `/v1/users/${member.id}`, out, text);
  });

  it('manage_users with manage_user_groups groups nobody into rights the holder lacks', async () => {
    const { id, client } = await rights('manage_users', 'manage_user_groups');
    const strong = { user_group_ids: [await groupWith('manage_admin_policies')] };
    await expectRefusal('forbidden', client, 'POST', '/v1/users', machineBody(strong));
    await expectRefusal('forbidden', client, 'PUT', `/v1/users/${id}`, strong);
    const weak = { user_group_ids: [await groupWith('manage_users')] };
    await expectOk(client, 'POST', '/v1/users', machineBody(weak));
    await expectOk(client, 'PUT', `/v1/users/${id}`, weak);
  });

  it('nobody leaves a group that denies what they would then have', async () => {
    const { id, client } = await rights('manage_users', 'manage_user_groups', 'freeze');
    const group = await groupWith();
    await expectOk(vault.admin, 'POST', '/v1/admin-policies', {
      display_name: 'deny',
      action: 'freeze',
      effect: 'deny',
      subjects: { user_group_ids: [group] },
    });
    await expectOk(vault.admin, 'PUT', `/v1/users/${id}`, { user_group_ids: [group] });
    await expectRefusal('forbidden', client, 'PUT', `/v1/users/${id}`, { user_group_ids: [] });
  });

  it('manage_users does not take over a stronger user by key or API key, but renames it', async () => {
    const { client } = await rights('manage_users');
    const strong = await rights('view_audit_logs');
    for (const path of [`/v1/users/${vault.adminId}`, `/v1/users/${strong.id}`]) {
      await expectRefusal('forbidden', client, 'PUT', path, rekey());
      await expectRefusal('forbidden', client, 'PUT', path, { rotate_api_key: true });
      await expectOk(client, 'PUT', path, { description: 'renamed' });
    }
    await expectOk(strong.client, 'GET', '/v1/whoami');
    const equal = await rights('manage_users');
    await expectOk(client, 'PUT', `/v1/users/${equal.id}`, rekey());
  });

  it('a right in one vault is a right, and is covered by the same right or a wider one', async () => {
    const [a, b] = await createVaults();
    const strong = await vault.createMachine();
    await grant(vault, strong.id, 'freeze', { vaultIds: [a] });
    const path = `/v1/users/${strong.id}`;
    const holder = async (vaultIds?: string[]) => {
      const user = await rights('manage_users');
      if (vaultIds !== undefined) await grant(vault, user.id, 'freeze', { vaultIds });
      return user;
    };
    await expectRefusal('forbidden', (await holder()).client, 'PUT', path, rekey());
    await expectRefusal('forbidden', (await holder([b])).client, 'PUT', path, rekey());
    await expectOk((await holder([b, a])).client, 'PUT', path, rekey());
    const wide = await rights('manage_users', 'freeze');
    await expectOk(wide.client, 'PUT', path, rekey());
    await grant(vault, wide.id, 'freeze', { effect: 'deny', vaultIds: [b] });
    await expectOk(wide.client, 'PUT', path, rekey());
    await grant(vault, wide.id, 'freeze', { effect: 'deny', vaultIds: [a] });
    await expectRefusal('forbidden', wide.client, 'PUT', path, rekey());
  });

  it('a right in all vaults but one is a right too', async () => {
    const [a] = await createVaults();
    const strong = await rights('manage_wallets');
    await grant(vault, strong.id, 'manage_wallets', { effect: 'deny', vaultIds: [a] });
    const { client } = await rights('manage_users');
    await expectRefusal('forbidden', client, 'PUT', `/v1/users/${strong.id}`, rekey());
  });
});
