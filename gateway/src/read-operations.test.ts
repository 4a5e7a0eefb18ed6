import { NO_PRICE_FEED } from '@countersign/runtime/prices/price-feed.js';
import { describe, expect, test } from '@jest/globals';
import { validate } from '@countersign/api/validate.js';
import { isRefusal } from '@countersign/core/errors.js';
import { createEvidenceKeys } from '@countersign/core/evidence-key.js';
import { sha256, uuidFromHash } from '@countersign/core/hash.js';
import {
  addressListsOf,
  EMPTY_STATE,
  type AddressList,
  type HumanUser,
  type Key,
  type MachineUser,
  type SecurityGroup,
  type SigningPolicy,
  type User,
  type Vault,
  type VaultState,
  type Wallet,
} from '@countersign/vault/state/state.js';
import type { LedgerView } from '@countersign/vault/ledger/fold.js';
import { insertRow, type Table } from '@countersign/vault/state/table.js';
import type pg from 'pg';
import { createJournal } from './govern/journal.js';
import { createCursors } from './read/cursor.js';
import { READ_OPERATIONS } from './read-operations.js';
import { EXAMPLE_FIGURES } from '../../test/support/example-figures.ts';

const idOf = (name: string) => uuidFromHash(sha256(name));
const stamps = { createdAt: 1, createdBy: 'genesis', lastUpdatedAt: 1, lastUpdatedBy: 'genesis' };
const common = { description: null, userGroupIds: [], frozen: null, ...stamps };

function machine(name: string, fields: Partial<MachineUser> = {}): MachineUser {
  return {
    id: idOf(name),
    type: 'machine',
    displayName: name,
    apiKeySha256: sha256(name).toString('hex'),
    publicKey: 'AAAA',
    publicKeySince: 1,
    expiresAt: null,
    ...common,
    ...fields,
  };
}

function human(name: string, email: string, userGroupIds: string[] = []): HumanUser {
  return {
    id: idOf(name),
    type: 'human',
    displayName: name,
    email,
    cloudProvider: 'gcp',
    enrollmentCodeSha256: `code of ${name}`,
    ...common,
    userGroupIds,
  };
}

function key(name: string, fields: Partial<Key> = {}): Key {
  return {
    id: idOf(name),
    displayName: name,
    description: null,
    type: 'ed25519',
    scheme: 'ed25519',
    custody: 'mpc',
    modulusBits: null,
    encoding: null,
    venueId: null,
    venueApiKey: null,
    labels: {},
    status: 'active',
    failure: null,
    frozen: null,
    version: 1,
    publicKey: sha256(name).toString('base64'),
    session: '',
    attestations: [],
    sealedParts: [],
    walletId: null,
    ...stamps,
    ...fields,
  };
}

function wallet(name: string, vaultId: string, keyId: string, address: string): Wallet {
  return {
    id: idOf(name),
    vaultId,
    networkFamily: 'solana',
    networks: [],
    displayName: name,
    keyId,
    address,
    frozen: null,
    ...stamps,
  };
}

function filled<Row extends { readonly id: string }, Indexes extends object>(
  empty: Table<Row, Indexes>,
  ...rows: Row[]
): Table<Row, Indexes> {
  return rows.reduce((table, row) => insertRow(table, row), empty);
}

const admin = machine('Admin');

function read(state: VaultState, id: string, query = {}, params = {}, caller: User = admin) {
  const operation = READ_OPERATIONS.find((row) => row.id === id)!;
  const checked = validate(operation.query, query, 'query parameter');
  if (isRefusal(checked)) return checked;
  return operation.handle(
    {
      state,
      view: { state } as LedgerView,
      caller,
      now: 0,
      journal: createJournal(),
      cursors: createCursors(Buffer.alloc(32)),
      pool: {} as pg.Pool,
      results: { find: async () => undefined, findAll: async () => new Map() },
      evidenceKeys: createEvidenceKeys([Buffer.alloc(32)]),
      keyProgress: async () => undefined,
      figures: EXAMPLE_FIGURES,
      prices: NO_PRICE_FEED,
      isGone: () => false,
    },
    { params, query: checked, body: {} },
  );
}

function namesOf(answer: unknown): string[] {
  return (answer as { results: { display_name: string }[] }).results.map((row) => row.display_name);
}

const NOT_FOUND = { refused: 'resource_not_found' };

describe('list-address-lists', () => {
  const list = (name: string): AddressList => ({
    id: idOf(name),
    displayName: name,
    description: null,
    entries: [{ address: `address of ${name}`, displayName: `owner of ${name}` }],
    version: 3,
    ...stamps,
  });
  const addressLists = filled(addressListsOf(EMPTY_STATE), list('Cold storage'), list('Suppliers'));
  const state = { ...EMPTY_STATE, addressLists };

  test('finds by a part of the name, and by ids; a vault without any has an empty list', () => {
    const find = (query: object) => namesOf(read(state, 'list-address-lists', query));
    expect(find({})).toEqual(['Cold storage', 'Suppliers']);
    expect(find({ display_name_like: 'COLD' })).toEqual(['Cold storage']);
    expect(find({ list_ids: idOf('Suppliers') })).toEqual(['Suppliers']);
    expect(namesOf(read(EMPTY_STATE, 'list-address-lists'))).toEqual([]);
  });

  test('shows one with its entries, or 404', () => {
    const params = { list_id: idOf('Suppliers') };
    expect(read(state, 'get-address-list', {}, params)).toMatchObject({
      entries: [{ address: 'address of Suppliers', display_name: 'owner of Suppliers' }],
      version: 3,
    });
    expect(read(EMPTY_STATE, 'get-address-list', {}, params)).toMatchObject(NOT_FOUND);
  });
});

describe('list-users', () => {
  const desk = idOf('desk');
  const users = filled(
    EMPTY_STATE.users,
    admin,
    human('Ann Trader', 'Ann@Example.com', [desk]),
    human('Bob', 'bob@other.example'),
    machine('bot ann', { userGroupIds: [desk, idOf('bots')] }),
  );
  const state = { ...EMPTY_STATE, users };
  const list = (query: Record<string, string>) => namesOf(read(state, 'list-users', query));

  test('display_name_like ignores case', () => {
    expect(list({ display_name_like: 'ANN' })).toEqual(['Ann Trader', 'bot ann']);
  });

  test('email_contains leaves machines out', () => {
    expect(list({ email_contains: 'example.com' })).toEqual(['Ann Trader']);
    expect(list({ email_contains: '' })).toEqual(['Ann Trader', 'Bob']);
  });

  test('is_in_groups takes members of any of the groups', () => {
    expect(list({ is_in_groups: desk })).toEqual(['Ann Trader', 'bot ann']);
    expect(list({ is_in_groups: `${idOf('bots')},${idOf('none')}` })).toEqual(['bot ann']);
  });

  test('is_type, user_ids, and all filters at once', () => {
    expect(list({ is_type: 'machine' })).toEqual(['Admin', 'bot ann']);
    expect(list({ user_ids: `${idOf('Bob')},${admin.id}` })).toEqual(['Admin', 'Bob']);
    expect(list({ is_type: 'human', is_in_groups: desk, display_name_like: 'b' })).toEqual([]);
  });

  test('400 for another type or a malformed id', () => {
    const refused = { refused: 'parse_error' };
    expect(read(state, 'list-users', { is_type: 'robot' })).toMatchObject(refused);
    expect(read(state, 'list-users', { user_ids: 'x' })).toMatchObject(refused);
  });

  test('422 for a limit out of range', () => {
    expect(read(state, 'list-users', { limit: '101' })).toMatchObject({
      refused: 'invalid_inputs',
    });
  });

  test('whoami is the caller', () => {
    const bob = users.rows.get(idOf('Bob'))!;
    expect(read(state, 'whoami', {}, {}, bob)).toMatchObject({ id: bob.id });
  });
});

describe('keys and wallets that are still being generated', () => {
  const vault: Vault = {
    id: idOf('vault'),
    displayName: 'Vault',
    description: null,
    frozen: null,
    walletCount: 2,
    ...stamps,
  };
  const ready = key('ready', { venueId: 'kraken' });
  const making = key('making', { status: 'generating', publicKey: '' });
  const walletKey = key('wallet key', { walletId: idOf('w1') });
  const makingKey = key('making wallet key', { status: 'generating', walletId: idOf('w2') });
  const w1 = wallet('w1', vault.id, walletKey.id, 'Address1');
  const w2 = wallet('w2', vault.id, makingKey.id, '');
  const state: VaultState = {
    ...EMPTY_STATE,
    vaults: filled(EMPTY_STATE.vaults, vault),
    keys: filled(EMPTY_STATE.keys, ready, making, walletKey, makingKey),
    wallets: filled(EMPTY_STATE.wallets, w1, w2),
  };
  const inVault = { vault_id: vault.id };

  test('are not listed', () => {
    expect(namesOf(read(state, 'list-keys'))).toEqual(['ready', 'wallet key']);
    expect(namesOf(read(state, 'list-wallets', {}, inVault))).toEqual(['w1']);
  });

  test('are 404', () => {
    expect(read(state, 'get-key', {}, { key_id: making.id })).toMatchObject(NOT_FOUND);
    const noAddress = { ...inVault, address: '' };
    expect(read(state, 'get-wallet', {}, noAddress)).toMatchObject(NOT_FOUND);
  });

  test('the others are found, and listed by filter', () => {
    const address = { ...inVault, address: 'Address1' };
    expect(read(state, 'get-wallet', {}, address)).toMatchObject({ id: w1.id });
    expect(namesOf(read(state, 'list-keys', { venue_ids: 'kraken,bit' }))).toEqual(['ready']);
    const other = { network_family: 'sui' };
    expect(namesOf(read(state, 'list-wallets', other, inVault))).toEqual([]);
    const named = (part: string) =>
      namesOf(read(state, 'list-wallets', { display_name_like: part }, inVault));
    expect(named('W')).toEqual(['w1']);
    expect(named('w2')).toEqual([]);
  });

  test('the freeze of a wallet says where it is, others do not', () => {
    const frozen = { at: 5, by: 'somebody', reason: null };
    const freezes = read(
      {
        ...state,
        wallets: filled(EMPTY_STATE.wallets, { ...w1, frozen }),
        vaults: filled(EMPTY_STATE.vaults, { ...vault, frozen }),
      },
      'list-freezes',
    ) as { results: { scope: string; wallet?: unknown }[] };
    expect(freezes.results.map(({ scope, wallet: place }) => [scope, place])).toEqual([
      ['vault', undefined],
      ['wallet', { vault_id: vault.id, address: 'Address1' }],
    ]);
  });

  test("another vault's wallets are 404, and so is a vault that is none", () => {
    const elsewhere = { vault_id: idOf('elsewhere'), address: 'Address1' };
    expect(read(state, 'get-wallet', {}, elsewhere)).toMatchObject(NOT_FOUND);
    expect(read(state, 'list-wallets', {}, { vault_id: 'x' })).toMatchObject(NOT_FOUND);
  });
});

describe('security groups and signing policies', () => {
  const policy: SigningPolicy = {
    id: idOf('policy'),
    displayName: 'Policy',
    securityGroupId: idOf('g2'),
    version: 1,
    rules: [],
    ...stamps,
  };
  const group = (name: string, signingPolicyIds: string[]): SecurityGroup => ({
    id: idOf(name),
    displayName: name,
    vaultIds: null,
    members: [],
    signingPolicyIds,
    ...stamps,
  });
  const state = {
    ...EMPTY_STATE,
    securityGroups: filled(EMPTY_STATE.securityGroups, group('g1', []), group('g2', [policy.id])),
    signingPolicies: filled(EMPTY_STATE.signingPolicies, policy),
  };

  test('groups by signing policy, policies by group', () => {
    const byPolicy = read(state, 'list-security-groups', { signing_policy_id: policy.id });
    expect(namesOf(byPolicy)).toEqual(['g2']);
    const list = (id: string) => read(state, 'list-signing-policies', { security_group_id: id });
    expect(namesOf(list(idOf('g1')))).toEqual([]);
    expect(list(idOf('g2'))).toMatchObject({ results: [{ position: 1 }] });
  });
});

test.each(READ_OPERATIONS.filter(({ path }) => path.endsWith('_id}')).map((row) => row.id))(
  '%s: an id that is no UUID is 404',
  async (id) => {
    for (const value of ['x', "'", '../a', 'toString', '__proto__']) {
      const names = ['user_id', 'group_id', 'policy_id', 'vault_id', 'key_id', 'request_id'];
      const params = Object.fromEntries(names.map((name) => [name, value]));
      expect(await read(EMPTY_STATE, id, {}, params)).toMatchObject(NOT_FOUND);
    }
  },
);

test('reads need view_system_resources, except those about the caller and the audit log', () => {
  const others = READ_OPERATIONS.filter(({ action }) => action !== 'view_system_resources');
  expect(others.map(({ id, action }) => [id, action])).toEqual([
    ['whoami', 'self'],
    // public keys that a client checks by the parties' signatures
    ['get-import-recipients', 'self'],
    // those that concern the caller
    ['list-requests', 'self'],
    ['get-request', 'self'],
    ['list-audit-logs', 'view_audit_logs'],
    ['list-audit-chains', 'view_audit_logs'],
    ['read-audit-chain', 'view_audit_logs'],
  ]);
});
