import { randomBytes, randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { allPages, call, expectRefusal, grant, type Page } from './support/api.ts';
import { verifyEd25519 } from '@countersign/core/ed25519.js';
import type { RawClient } from '../client/dist/calls/raw-client.js';
import { signInAsDeveloper } from './support/developer-sign-in.ts';
import { enrolmentBody } from './support/person.ts';
import { createSoftwarePasskey } from './support/software-authenticator.ts';
import { expectOk, newMachineKey, openSharedVault, type VaultInUse } from './support/test-vault.ts';

interface User {
  id: string;
  type: 'human' | 'machine';
  display_name: string;
  description: string | null;
  email?: string;
  status?: string;
  api_key?: string;
  enrollment_code?: string;
  expires_at?: string;
  credentials?: { id: string; type: string; created_at: string }[];
  user_groups: { id: string; display_name: string; description: string | null }[];
  created_at: string;
  created_by: string;
  last_updated_at: string;
  last_updated_by: string;
}

let vault: VaultInUse;
beforeAll(async () => {
  vault = await openSharedVault();
}, 60_000);
afterAll(() => vault?.close(), 60_000);

const machineBody = (fields: Record<string, unknown> = {}) => ({
  type: 'machine',
  display_name: `bot ${randomUUID()}`,
  public_key: newMachineKey().publicKey,
  ...fields,
});

const humanBody = (fields: Record<string, unknown> = {}) => ({
  type: 'human',
  display_name: `person ${randomUUID()}`,
  email: `${randomUUID()}@example.com`,
  cloud_provider: 'gcp',
  ...fields,
});

const create = (body: Record<string, unknown>) =>
  expectOk<User>(vault.admin, 'POST', '/v1/users', body);

const createGroup = (name = `group ${randomUUID()}`) =>
  expectOk<{ id: string; display_name: string }>(vault.admin, 'POST', '/v1/user-groups', {
    display_name: name,
  });

async function list(query: string): Promise<User[]> {
  const page = await expectOk<Page<User>>(vault.admin, 'GET', `/v1/users?limit=100&${query}`);
  expect(page.next_cursor).toBeNull();
  return page.results;
}

const namesOf = (users: User[]) => users.map((user) => user.display_name);
describe('creating a user', () => {
  it('takes a machine key as base64url or as hex of either case', async () => {
    const { privateKey, publicKey } = newMachineKey();
    const hex = Buffer.from(publicKey, 'base64url').toString('hex');
    for (const text of [publicKey, hex, hex.toUpperCase()]) {
      const user = await create(machineBody({ public_key: text }));
      const client = vault.clientFor({ apiKey: user.api_key!, privateKey });
      await expectRefusal('forbidden', client, 'POST', '/v1/vaults', { display_name: 'no right' });
    }
  });

  it('answers the whole user, and its API key this once', async () => {
    const group = await createGroup();
    const body = machineBody({ description: 'trades', user_group_ids: [group.id] });
    const user = await create(body);
    expect(user).toEqual({
      id: expect.any(String),
      type: 'machine',
      display_name: (body as { display_name?: string }).display_name,
      description: 'trades',
      user_groups: [{ id: group.id, display_name: group.display_name, description: null }],
      api_key: expect.stringMatching(/^[0-9a-f-]{36}$/),
      created_at: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/),
      created_by: vault.adminId,
      last_updated_at: user.created_at,
      last_updated_by: vault.adminId,
    });
    const again = await expectOk<User>(vault.admin, 'GET', `/v1/users/${user.id}`);
    expect(again).not.toHaveProperty('api_key');
    expect(again).toMatchObject({
      status: 'active',
      credentials: [{ type: 'ed25519', created_at: user.created_at }],
    });
  });

  it('leaves a human pending until enrolment, with a code shown once', async () => {
    const user = await create(humanBody());
    expect(user.enrollment_code).toMatch(/^[\w-]{24}$/);
    expect(user).not.toHaveProperty('api_key');
    const again = await expectOk<User>(vault.admin, 'GET', `/v1/users/${user.id}`);
    expect(again).toMatchObject({ type: 'human', status: 'pending_enrollment', credentials: [] });
    expect(JSON.stringify(again)).not.toContain(user.enrollment_code);
  });

  it('knows one user per email, whatever its case', async () => {
    const email = `${randomUUID()}@example.com`;
    await create(humanBody({ email }));
    const body = humanBody({ email: email.toUpperCase() });
    await expectRefusal('resource_conflict', vault.admin, 'POST', '/v1/users', body);
    await expectRefusal(
      'resource_conflict',
      vault.admin,
      'POST',
      '/v1/users',
      humanBody({ email }),
    );
  });

  it('frees the email of a deleted user', async () => {
    const email = `${randomUUID()}@example.com`;
    const user = await create(humanBody({ email }));
    await expectOk(vault.admin, 'DELETE', `/v1/users?user_ids=${user.id}`);
    await create(humanBody({ email }));
  });

  it.each<[string, Record<string, unknown>]>([
    ['a number as name', machineBody({ display_name: 7 })],
    ['null as name', machineBody({ display_name: null })],
    ['a number as type', machineBody({ type: 7 })],
    ['text as a list', machineBody({ user_group_ids: 'all' })],
    ['a number as key', machineBody({ public_key: 5 })],
    ['a list as email', humanBody({ email: [] })],
  ])('refuses %s as a wrong JSON type: 400', (_name, body) =>
    expectRefusal('parse_error', vault.admin, 'POST', '/v1/users', body),
  );

  it.each<[string, Record<string, unknown>]>([
    ['an unknown type', machineBody({ type: 'robot' })],
    ['an empty name', machineBody({ display_name: '' })],
    ['a name of 129 characters', machineBody({ display_name: 'x'.repeat(129) })],
    ['a name with a line break', machineBody({ display_name: 'a\nb' })],
    ['a key of 31 bytes', machineBody({ public_key: Buffer.alloc(31, 1).toString('base64url') })],
    ['a low-order key', machineBody({ public_key: '00'.repeat(32) })],
    ['a non-canonical key', machineBody({ public_key: `${'ff'.repeat(31)}7f` })],
    ['an unknown group', machineBody({ user_group_ids: [randomUUID()] })],
    ['a past expiry', machineBody({ expires_at: '2020-01-01T00:00:00Z' })],
    ['an unknown field', machineBody({ role: 'admin' })],
    ["a human's field in a machine", machineBody({ email: 'bot@example.com' })],
    ['no key', { type: 'machine', display_name: 'x' }],
    ['a malformed email', humanBody({ email: 'nobody' })],
    ['an unknown cloud', humanBody({ cloud_provider: 'aws' })],
    [
      'a person of a provider that the gateway does not have',
      humanBody({
        ...{ cloud_provider: 'oidc' },
        identity: { issuer: 'https://login.example.com', subject: 'ada' },
      }),
    ],
  ])('refuses %s as a wrong value: 422', (_name, body) =>
    expectRefusal('invalid_inputs', vault.admin, 'POST', '/v1/users', body),
  );
});

describe('listing users', () => {
  const tag = randomUUID().slice(0, 8);
  let groups: { id: string }[];
  let users: User[];
  beforeAll(async () => {
    groups = [await createGroup(), await createGroup()];
    users = [];
    for (const body of [
      machineBody({ display_name: `${tag} Alpha`, user_group_ids: [groups[0]!.id] }),
      machineBody({ display_name: `${tag} ALPHA 100%` }),
      machineBody({ display_name: `${tag} alpha_1`, user_group_ids: [groups[1]!.id] }),
      machineBody({ display_name: `${tag} alphax1\\n` }),
      humanBody({ display_name: `${tag} Zoë`, email: `zoe.${tag}+ops@Example.com` }),
      humanBody({ display_name: `${tag} Max`, user_group_ids: groups.map((group) => group.id) }),
    ]) {
      users.push(await create(body));
    }
  });

  it.each([
    ['{tag}', 6],
    ['{tag} alpha', 4],
    ['{tag} ALPHA', 4],
    ['100%', 1],
    ['{tag} alpha%', 0],
    ['{tag}%', 0],
    ['{tag} alpha_', 1],
    ['{tag}_alpha', 0],
    ['1\\n', 1],
    ['{tag} zOË', 1],
  ])('finds %j in display names without case and without wildcards: %d', async (part, count) => {
    const like = encodeURIComponent(part.replace('{tag}', tag));
    expect(namesOf(await list(`display_name_like=${like}`))).toHaveLength(count);
  });

  it('finds part of an email, never a machine', async () => {
    const found = await list(`email_contains=${encodeURIComponent(`OE.${tag}+OPS@example`)}`);
    expect(found.map((user) => user.id)).toEqual([users[4]!.id]);
    expect((await list('email_contains=')).every((user) => user.type === 'human')).toBe(true);
  });

  it('finds the members of any of the named groups, each once', async () => {
    const ids = groups.map((group) => group.id).join(',');
    const found = await list(`is_in_groups=${ids}`);
    expect(found.map((user) => user.id)).toEqual([users[0]!.id, users[2]!.id, users[5]!.id]);
    expect(await list(`is_in_groups=${randomUUID()}`)).toEqual([]);
  });

  it('tells humans from machines', async () => {
    const humans = await list(`is_type=human&display_name_like=${tag}`);
    const machines = await list(`is_type=machine&display_name_like=${tag}`);
    expect(namesOf(humans)).toEqual(namesOf(users.slice(4)));
    expect(namesOf(machines)).toEqual(namesOf(users.slice(0, 4)));
  });

  it('finds named users in the order of creation; unknown ids find nobody', async () => {
    const ids = [users[3]!.id, randomUUID(), users[1]!.id].join(',');
    expect((await list(`user_ids=${ids}`)).map((user) => user.id)).toEqual([
      users[1]!.id,
      users[3]!.id,
    ]);
  });

  it('joins filters with and', async () => {
    const found = await list(`is_type=human&is_in_groups=${groups[0]!.id}`);
    expect(found.map((user) => user.id)).toEqual([users[5]!.id]);
  });

  it.each([
    'is_type=robot',
    'is_type=',
    'user_ids=',
    `user_ids=${randomUUID()},`,
    'user_ids=abc',
    `is_in_groups=,${randomUUID()}`,
    'limit=abc',
    'limit=1.5',
    'limit=',
    'cursor=abc',
    'cursor=',
    'display_name_like=%zz',
  ])('refuses the malformed query %s: 400', (query) =>
    expectRefusal('parse_error', vault.admin, 'GET', `/v1/users?${query}`),
  );

  it('refuses a cursor longer than any it gave: 400', () =>
    expectRefusal('parse_error', vault.admin, 'GET', `/v1/users?cursor=${'A'.repeat(2000)}`));

  it.each(['limit=0', 'limit=101', 'limit=-1', 'unknown=1', 'limit=1&limit=2'])(
    'refuses the unacceptable query %s: 422',
    (query) => expectRefusal('invalid_inputs', vault.admin, 'GET', `/v1/users?${query}`),
  );

  it('loses and repeats nobody while users come and go between pages', async () => {
    const like = randomUUID().slice(0, 8);
    const named = () => machineBody({ display_name: `${like} ${randomUUID()}` });
    const first: User[] = [];
    for (let index = 0; index < 11; index++) first.push(await create(named()));
    const deleted = new Set<string>();
    const late: User[] = [];
    const found = await allPages<User>(
      vault.admin,
      `/v1/users?limit=3&display_name_like=${like}`,
      async (page) => {
        if (page > 4) return;
        // one that was given already, one that is still to come, and a new one
        const gone = [first[page - 2]!.id, first[11 - page]!.id];
        await expectOk(vault.admin, 'DELETE', `/v1/users?user_ids=${gone.join(',')}`);
        for (const id of gone) deleted.add(id);
        late.push(await create(named()));
      },
    );
    const ids = found.map((user) => user.id);
    expect(new Set(ids).size).toBe(ids.length);
    const survivors = [...first, ...late].filter((user) => !deleted.has(user.id));
    expect(ids).toEqual(expect.arrayContaining(survivors.map((user) => user.id)));
    const order = [...first, ...late].map((user) => user.id);
    expect(ids).toEqual(ids.toSorted((a, b) => order.indexOf(a) - order.indexOf(b)));
  });

  it('ends with a null cursor also when the last page is full', async () => {
    const query = `/v1/users?limit=2&display_name_like=${tag}`;
    expect(await allPages(vault.admin, query)).toHaveLength(6);
    const page = await expectOk<Page<User>>(
      vault.admin,
      'GET',
      `/v1/users?limit=6&display_name_like=${tag}`,
    );
    expect(page.next_cursor).toBeNull();
  });

  it('refuses a cursor that was tampered with, or is of another filter, list or caller', async () => {
    const page = await expectOk<Page<User>>(vault.admin, 'GET', '/v1/users?limit=1');
    const cursor = page.next_cursor!;
    await expectOk(vault.admin, 'GET', `/v1/users?limit=5&cursor=${cursor}`);
    const bytes = Buffer.from(cursor, 'base64url');
    bytes[bytes.length - 1]! ^= 1;
    const other = await vault.createMachine();
    await grant(vault, other.id, 'view_system_resources');
    await expectOk(other.client, 'GET', '/v1/users?limit=1');
    for (const [client, target] of [
      [vault.admin, `/v1/users?limit=1&cursor=${bytes.toString('base64url')}`],
      [vault.admin, `/v1/users?limit=1&is_type=machine&cursor=${cursor}`],
      [vault.admin, `/v1/vaults?limit=1&cursor=${cursor}`],
      [other.client, `/v1/users?limit=1&cursor=${cursor}`],
    ] as const) {
      await expectRefusal('parse_error', client, 'GET', target);
    }
  });
});

describe('updating a user', () => {
  it('changes what the body names and nothing else', async () => {
    const user = await create(machineBody({ description: 'first' }));
    await expectOk(vault.admin, 'PUT', `/v1/users/${user.id}`, { display_name: 'renamed' });
    const after = await expectOk<User>(vault.admin, 'GET', `/v1/users/${user.id}`);
    expect(after).toMatchObject({
      display_name: 'renamed',
      description: 'first',
      created_at: user.created_at,
      created_by: vault.adminId,
      last_updated_by: vault.adminId,
    });
    expect(after.last_updated_at > user.last_updated_at).toBe(true);
    await expectOk(vault.admin, 'PUT', `/v1/users/${user.id}`, { description: null });
    const cleared = await expectOk<User>(vault.admin, 'GET', `/v1/users/${user.id}`);
    expect(cleared.description).toBeNull();
  });

  it('rotates an API key: the old one is dead at once, the new one works', async () => {
    const bot = await vault.createMachine();
    const updated = await expectOk<User>(vault.admin, 'PUT', `/v1/users/${bot.id}`, {
      rotate_api_key: true,
    });
    expect(updated.api_key).not.toBe(bot.credential.apiKey);
    await expectRefusal('unauthorized', bot.client, 'GET', '/v1/whoami');
    const renewed = vault.clientFor({ ...bot.credential, apiKey: updated.api_key! });
    expect((await expectOk<User>(renewed, 'GET', '/v1/whoami')).id).toBe(bot.id);
    await expectRefusal('forbidden', renewed, 'POST', '/v1/vaults', {
      display_name: 'signed all right',
    });
    const other = await expectOk<User>(vault.admin, 'PUT', `/v1/users/${bot.id}`, {
      description: 'no rotation, no key',
    });
    expect(other).not.toHaveProperty('api_key');
  });

  it('replaces a public key: only the new one signs from then on', async () => {
    const bot = await vault.createMachine();
    const { privateKey, publicKey } = newMachineKey();
    await expectOk(vault.admin, 'PUT', `/v1/users/${bot.id}`, { public_key: publicKey });
    const body = { display_name: 'no right' };
    await expectRefusal('unauthorized', bot.client, 'POST', '/v1/vaults', body);
    const renewed = vault.clientFor({ ...bot.credential, privateKey });
    await expectRefusal('forbidden', renewed, 'POST', '/v1/vaults', body);
  });

  it('sets and lifts an expiry', async () => {
    const user = await create(machineBody());
    const path = `/v1/users/${user.id}`;
    const expiry = new Date(Date.now() + 3_600_000).toISOString();
    await expectOk(vault.admin, 'PUT', path, { expires_at: expiry });
    expect((await expectOk<User>(vault.admin, 'GET', path)).expires_at).toBe(expiry);
    await expectOk(vault.admin, 'PUT', path, { expires_at: null });
    expect(await expectOk<User>(vault.admin, 'GET', path)).not.toHaveProperty('expires_at');
  });

  it('ends a user at its expiry', async () => {
    const bot = await vault.createMachine();
    // where the machine is slow an expiry passes before it is in the ledger, or before it is looked at
    for (let lifeMs = 1_500; ; lifeMs *= 2) {
      const expiresAt = Date.now() + lifeMs;
      const body = { expires_at: new Date(expiresAt).toISOString() };
      const { status } = await call(vault.admin, 'PUT', `/v1/users/${bot.id}`, body);
      const alive = await bot.client.get('/v1/whoami');
      if (Date.now() >= expiresAt) continue;
      expect([status, alive.status]).toEqual([200, 200]);
      await sleep(expiresAt - Date.now() + 50);
      break;
    }
    await expectRefusal('unauthorized', bot.client, 'GET', '/v1/whoami');
  });

  it('does not change type or email, nor give a human machine fields', async () => {
    const human = await create(humanBody());
    const path = `/v1/users/${human.id}`;
    for (const body of [
      {},
      { type: 'machine' },
      { email: 'other@example.com' },
      { rotate_api_key: false },
      { rotate_api_key: true },
      { public_key: newMachineKey().publicKey },
      { display_name: ' padded' },
    ]) {
      await expectRefusal('invalid_inputs', vault.admin, 'PUT', path, body);
    }
    await expectRefusal('parse_error', vault.admin, 'PUT', path, { display_name: 1 });
    await expectRefusal('resource_not_found', vault.admin, 'PUT', `/v1/users/${randomUUID()}`, {
      display_name: 'nobody',
    });
  });
});

describe('deleting users', () => {
  it('deletes all of the named users, whose credentials die with them', async () => {
    const bots = [await vault.createMachine(), await vault.createMachine()];
    const ids = bots.map((bot) => bot.id);
    await expectOk(vault.admin, 'DELETE', `/v1/users?user_ids=${ids.join(',')}`);
    for (const bot of bots) {
      await expectRefusal('resource_not_found', vault.admin, 'GET', `/v1/users/${bot.id}`);
      await expectRefusal('unauthorized', bot.client, 'GET', '/v1/whoami');
    }
  });

  it('deletes nobody when one id is unknown', async () => {
    const user = await create(machineBody());
    const target = `/v1/users?user_ids=${user.id},${randomUUID()}`;
    await expectRefusal('resource_not_found', vault.admin, 'DELETE', target);
    await expectOk(vault.admin, 'GET', `/v1/users/${user.id}`);
  });

  it('refuses to delete oneself, and nobody else is deleted either', async () => {
    const user = await create(machineBody());
    const target = `/v1/users?user_ids=${user.id},${vault.adminId}`;
    await expectRefusal('resource_conflict', vault.admin, 'DELETE', target, undefined, 'yourself');
    await expectOk(vault.admin, 'GET', `/v1/users/${user.id}`);
  });

  it('refuses to delete the last user able to change the administrative policy', async () => {
    const manager = await vault.createMachine();
    await grant(vault, manager.id, 'manage_users');
    const target = `/v1/users?user_ids=${vault.adminId}`;
    const text = 'administrative policy';
    await expectRefusal('resource_conflict', manager.client, 'DELETE', target, undefined, text);
    await expectOk(vault.admin, 'GET', '/v1/whoami');
  });

  it('needs well-formed ids', async () => {
    await expectRefusal('invalid_inputs', vault.admin, 'DELETE', '/v1/users');
    await expectRefusal('parse_error', vault.admin, 'DELETE', '/v1/users?user_ids=');
    await expectRefusal('parse_error', vault.admin, 'DELETE', '/v1/users?user_ids=a,b');
  });
});

describe('whoami', () => {
  it('shows callers themselves, with any right or none', async () => {
    const bot = await vault.createMachine({ display_name: 'who' });
    const me = await expectOk<User>(bot.client, 'GET', '/v1/whoami');
    expect(me).toMatchObject({ id: bot.id, display_name: 'who', type: 'machine' });
    expect(me).toEqual(await expectOk<User>(vault.admin, 'GET', `/v1/users/${bot.id}`));
  });
});

describe('user groups', () => {
  it('are created, listed, renamed and deleted', async () => {
    const group = await expectOk<{ id: string }>(vault.admin, 'POST', '/v1/user-groups', {
      display_name: 'Traders',
      description: 'desk 1',
    });
    const path = `/v1/user-groups/${group.id}`;
    expect(await expectOk(vault.admin, 'GET', path)).toMatchObject({
      display_name: 'Traders',
      description: 'desk 1',
    });
    await expectOk(vault.admin, 'PUT', path, { display_name: 'traders' });
    const listed = await allPages<{ id: string; display_name: string; description: string }>(
      vault.admin,
      '/v1/user-groups?limit=2',
    );
    expect(listed.find((row) => row.id === group.id)).toMatchObject({
      display_name: 'traders',
      description: 'desk 1',
    });
    await expectOk(vault.admin, 'DELETE', path);
    await expectRefusal('resource_not_found', vault.admin, 'GET', path);
    await expectRefusal('resource_not_found', vault.admin, 'DELETE', path);
  });

  it('have names of their own, compared without case', async () => {
    const name = `Unique ${randomUUID()}`;
    await createGroup(name);
    const other = await createGroup();
    const body = { display_name: name.toUpperCase() };
    await expectRefusal('resource_conflict', vault.admin, 'POST', '/v1/user-groups', body);
    await expectRefusal(
      'resource_conflict',
      vault.admin,
      'PUT',
      `/v1/user-groups/${other.id}`,
      body,
    );
  });

  it('stay while a user or a policy names them', async () => {
    const group = await createGroup();
    const path = `/v1/user-groups/${group.id}`;
    const user = await create(machineBody({ user_group_ids: [group.id] }));
    await expectRefusal('resource_conflict', vault.admin, 'DELETE', path, undefined, user.id);
    await expectOk(vault.admin, 'PUT', `/v1/users/${user.id}`, { user_group_ids: [] });
    const policy = await expectOk<{ id: string }>(vault.admin, 'POST', '/v1/admin-policies', {
      display_name: 'group policy',
      action: 'freeze',
      effect: 'allow',
      subjects: { user_group_ids: [group.id] },
    });
    await expectRefusal('resource_conflict', vault.admin, 'DELETE', path, undefined, policy.id);
    await expectOk(vault.admin, 'DELETE', `/v1/admin-policies/${policy.id}`);
    const security = await expectOk<{ id: string }>(vault.admin, 'POST', '/v1/security-groups', {
      display_name: `security ${randomUUID()}`,
    });
    const signing = await expectOk<{ id: string }>(vault.admin, 'POST', '/v1/signing-policies', {
      display_name: 'group signing policy',
      security_group_id: security.id,
      rules: [
        {
          display_name: 'deny',
          when: { initiators: { user_group_ids: [group.id] } },
          then: 'deny',
        },
      ],
    });
    await expectRefusal('resource_conflict', vault.admin, 'DELETE', path, undefined, signing.id);
    await expectOk(vault.admin, 'DELETE', `/v1/signing-policies/${signing.id}`);
    await expectOk(vault.admin, 'DELETE', path);
  });

  it('take no members but by their users', async () => {
    const body = { display_name: 'members inside', user_ids: [vault.adminId] };
    await expectRefusal('invalid_inputs', vault.admin, 'POST', '/v1/user-groups', body);
  });
});

describe('a person', () => {
  const passkey = createSoftwarePasskey('es256', randomUUID());
  const local = { rpId: 'localhost', origin: 'http://localhost:8080' };

  /** Signs by `by`, who says that it is the user's. */
  const clientOf = (token: string, userId: string, by = passkey): RawClient => {
    const assert = (digest: Uint8Array) => by.assert(digest, userId, local);
    return vault.clientOfPerson({ token, assert });
  };

  it('enrols with a token and a code, signs in, changes the vault and signs; a stolen token does neither', async () => {
    const name = `ada ${randomUUID()}`;
    const token = await signInAsDeveloper(vault.issuer, name);
    const user = await create(humanBody({ cloud_provider: 'oidc' }));
    const code = user.enrollment_code!;
    await expectRefusal('unauthorized', clientOf(token, user.id), 'GET', '/v1/whoami');

    const options = await expectOk(
      clientOf(token, user.id),
      'POST',
      '/v1/passkeys/registration-options',
      {
        enrollment_code: code,
      },
    );
    expect(options).toMatchObject({ rp: { id: 'localhost' }, user: { id: user.id } });
    const thief = createSoftwarePasskey('es256', randomUUID());
    const enrolment = enrolmentBody(code, user.id, passkey, local);
    await expectRefusal(
      'unauthorized',
      clientOf(token, user.id, thief),
      'POST',
      '/v1/passkeys',
      enrolment,
    );
    const ada = clientOf(token, user.id);
    await expectOk(ada, 'POST', '/v1/passkeys', enrolment);
    expect(await expectOk(ada, 'GET', '/v1/whoami')).toMatchObject({
      id: user.id,
      status: 'active',
      credentials: [{ type: 'passkey', backup_eligible: true }],
    });

    // who has a passkey, and signs though a token would do, signs well
    const optionsPath = '/v1/passkeys/registration-options';
    await expectOk(ada, 'POST', optionsPath, {});
    const wrong = clientOf(token, user.id, thief);
    await expectRefusal('unauthorized', wrong, 'POST', optionsPath, {});

    await grant(vault, user.id, 'manage_users');
    const made = await expectOk<User>(ada, 'POST', '/v1/users', machineBody());
    expect(made.created_by).toBe(user.id);
    const wallet = await vault.createWallet({ initiators: [user.id] });
    const message = randomBytes(40);
    const raw = { message: message.toString('base64') };
    const signed = await expectOk<{ signature: string }>(
      ada,
      'POST',
      `${wallet.path}/raw-sign`,
      raw,
    );
    const key = Buffer.from(wallet.publicKey, 'base64');
    expect(verifyEd25519(key, message, Buffer.from(signed.signature, 'base64'))).toBe(true);

    const stolen = clientOf(token, user.id, thief);
    await expectRefusal('unauthorized', stolen, 'POST', '/v1/users', machineBody());
    await expectRefusal('unauthorized', stolen, 'POST', `${wallet.path}/raw-sign`, raw);
    const [head, payload] = token.split('.');
    const forged = clientOf(`${head}.${payload}.${'A'.repeat(342)}`, user.id);
    await expectRefusal('unauthorized', forged, 'GET', '/v1/whoami');
    await expectRefusal('unauthorized', forged, 'POST', '/v1/users', machineBody());
  }, 60_000);
});
