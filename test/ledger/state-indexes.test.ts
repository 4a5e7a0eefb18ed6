/** The indexes of the state, after every entry of ledgers made at random, against the rows alone. */
import { createHash } from 'node:crypto';
import { describe, expect, it } from '@jest/globals';
import {
  GENERATED,
  ownerOf,
  STATED,
  type MarkPlace,
  type PublicKeyOwners,
} from '@countersign/vault/state/public-key-owners.js';
import type { Key, VaultState } from '@countersign/vault/state/state.js';
import { listingOf, sliceTable } from '@countersign/vault/views/slice-table.js';
import { apiKeySha256 } from '@countersign/vault/authentication/user-secrets.js';
import { PARTY_NUMBERS } from '@countersign/core/parties.js';
import fc from 'fast-check';
import { createLedgerBuilder, keyStory } from '../support/ledger-builder.ts';
import { anySteps, openDesk, take, type Desk, type Step } from '../support/random-operations.ts';
import { howMany } from '../support/how-many.ts';

/** What rows that are gone, or an order of events, have left behind. */
interface Memory {
  /** Of every wallet there ever was. */
  readonly vaultOfWallet: Map<string, string>;
  /** By public key. */
  readonly generatedKeys: Map<string, string>;
  /** What keys are known by, and the first that each belongs to. */
  readonly marks: Map<string, string>;
  /** Of policies, by table: each version there ever was. */
  readonly versions: Record<'adminPolicies' | 'signingPolicies', Map<string, unknown>>;
  /** Groups and their members, in the order in which they joined. */
  joined: readonly (readonly [group: string, member: string])[];
}

/** `left` are members that were taken out by name, whether or not they were put back. */
function remember(memory: Memory, state: VaultState, left: Memory['joined']): void {
  for (const { id, vaultId } of state.wallets.rows.values()) memory.vaultOfWallet.set(id, vaultId);
  for (const table of ['adminPolicies', 'signingPolicies'] as const) {
    for (const row of state[table].rows.values()) {
      memory.versions[table].set(`${row.id}/${row.version}`, row);
    }
  }
  for (const { id, custody, publicKey } of state.keys.rows.values()) {
    if (custody === 'mpc' && publicKey !== '') memory.generatedKeys.set(publicKey, id);
  }
  for (const key of state.keys.rows.values()) {
    for (const mark of marksIn(key)) {
      if (!memory.marks.has(mark)) memory.marks.set(mark, key.id);
    }
  }
  const now = [...state.securityGroups.rows.values()].flatMap((group) =>
    group.members.map((member) => [group.id, member.id] as const),
  );
  const isIn = (list: Memory['joined'], [group, member]: readonly [string, string]) =>
    list.some((pair) => pair[0] === group && pair[1] === member);
  const stayed = memory.joined.filter((pair) => isIn(now, pair) && !isIn(left, pair));
  memory.joined = [...stayed, ...now.filter((pair) => !isIn(stayed, pair))];
}

const SEALED = 'sealed part: ';
const isSealed = (mark: string) => mark.startsWith(SEALED);

/** Of a key that is no RSA key: none is made here. */
function marksIn({ type, publicKey, attestations, sealedParts }: Key): string[] {
  const hash = (bytes: Buffer) => createHash('sha256').update(bytes).digest('hex');
  const print = (text: string) =>
    type === 'ed25519' ? text : `${type}: ${hash(Buffer.from(text, 'base64'))}`;
  return [
    ...(publicKey === '' ? [] : [print(publicKey)]),
    ...attestations.flatMap((row) =>
      row.publicKey === '' ? [] : [`party ${row.party}: ${print(row.publicKey)}`],
    ),
    ...sealedParts.map(({ sealed }) => `${SEALED}${hash(Buffer.from(sealed))}`),
  ];
}

/** As plain objects: what each index must hold. */
function expectedIndexes(state: VaultState, memory: Memory) {
  const users = [...state.users.rows.values()];
  const wallets = [...state.wallets.rows.values()];
  const keys = [...state.keys.rows.values()];
  const vaults = [...state.vaults.rows.values()];
  const frozenOf = (rows: readonly { id: string; frozen: unknown }[]) =>
    rows.flatMap(({ id, frozen }) => (frozen === null ? [] : [id])).toSorted();
  const byName = (rows: { values(): Iterable<{ id: string; displayName: string }> }) =>
    entriesOf([...rows.values()].map((row) => [row.displayName.toLowerCase(), row.id]));
  return {
    users: {
      byApiKey: entriesOf(users.map((u) => [u.type === 'machine' && u.apiKeySha256, u.id])),
      byEmail: entriesOf(users.map((u) => [u.type === 'human' && u.email.toLowerCase(), u.id])),
      byEnrollmentCode: entriesOf(
        users.map((u) => [u.type === 'human' && (u.enrollmentCodeSha256 ?? false), u.id]),
      ),
      // nobody enrols here: see people.test.ts
      byIdentity: {},
      byPasskey: {},
      frozen: frozenOf(users),
    },
    userGroups: { byName: byName(state.userGroups.rows) },
    vaults: { byName: byName(state.vaults.rows), frozen: frozenOf(vaults) },
    wallets: {
      byAddress: entriesOf(
        wallets.map((w) => [w.address !== '' && `${w.vaultId}/${w.address}`, w.id]),
      ),
      byVault: grouped([...state.wallets.order].map((id) => [memory.vaultOfWallet.get(id)!, id])),
      frozen: frozenOf(wallets),
      onTestnet: [],
    },
    keys: {
      pending: keys
        .filter(({ status }) => ['generating', 'importing'].includes(status))
        .map(({ id }) => id)
        .toSorted(),
      byPublicKey: {
        generated: Object.fromEntries(memory.generatedKeys),
        marks: entriesOf([...memory.marks].map(([mark, id]) => [!isSealed(mark) && mark, id])),
      },
      bySealedPart: entriesOf([...memory.marks].map(([mark, id]) => [isSealed(mark) && mark, id])),
      frozen: frozenOf(keys),
    },
    securityGroups: {
      byName: byName(state.securityGroups.rows),
      byMember: grouped(memory.joined.map(([group, member]) => [member, group])),
      bySelector: {},
    },
    adminPolicies: { byVersion: Object.fromEntries(memory.versions.adminPolicies) },
    signingPolicies: {
      byVersion: Object.fromEntries(memory.versions.signingPolicies),
      onTestnet: [],
      onUsdValue: [],
    },
    // nothing waits here: `approvals.test.ts` looks at these over what does
    pendingRequests: { released: [], open: [] },
  };
}

/** What the marks of {@link marksIn}, and public keys that the parties made together, are held to belong to. */
function heldMarks(byPublicKey: PublicKeyOwners) {
  const ownersAt = (place: MarkPlace) =>
    [...byPublicKey.keys()].map(
      (print) => [print, ownerOf(byPublicKey, { print, place })] as const,
    );
  const named = (start: string, entries: Iterable<readonly [string, string | undefined]>) =>
    [...entries].flatMap(([print, id]) => (id === undefined ? [] : [[start + print, id] as const]));
  const ofParties = PARTY_NUMBERS.flatMap((n) => named(`party ${n}: `, ownersAt(n)));
  return {
    generated: Object.fromEntries(named('', ownersAt(GENERATED))),
    marks: Object.fromEntries([...named('', ownersAt(STATED)), ...ofParties]),
  };
}

function heldIndexes(state: VaultState) {
  const { users, userGroups, vaults, wallets, keys, securityGroups, pendingRequests } = state;
  return {
    users: {
      byApiKey: users.indexes.byApiKey.toJS(),
      byEmail: users.indexes.byEmail.toJS(),
      byEnrollmentCode: users.indexes.byEnrollmentCode.toJS(),
      byIdentity: users.indexes.byIdentity.toJS(),
      byPasskey: users.indexes.byPasskey.toJS(),
      frozen: [...users.indexes.frozen].toSorted(),
    },
    userGroups: { byName: userGroups.indexes.byName.toJS() },
    vaults: {
      byName: vaults.indexes.byName.toJS(),
      frozen: [...vaults.indexes.frozen].toSorted(),
    },
    wallets: {
      byAddress: wallets.indexes.byAddress.toJS(),
      byVault: wallets.indexes.byVault.toJS(),
      frozen: [...wallets.indexes.frozen].toSorted(),
      onTestnet: [...wallets.indexes.onTestnet].toSorted(),
    },
    keys: {
      pending: [...keys.indexes.pending].toSorted(),
      byPublicKey: heldMarks(keys.indexes.byPublicKey),
      bySealedPart: keys.indexes.bySealedPart.mapKeys((print) => SEALED + print).toJS(),
      frozen: [...keys.indexes.frozen].toSorted(),
    },
    securityGroups: {
      byName: securityGroups.indexes.byName.toJS(),
      byMember: securityGroups.indexes.byMember.toJS(),
      bySelector: securityGroups.indexes.bySelector.toJS(),
    },
    signingPolicies: {
      byVersion: state.signingPolicies.indexes.byVersion.toObject(),
      onTestnet: [...state.signingPolicies.indexes.onTestnet].toSorted(),
      onUsdValue: [...state.signingPolicies.indexes.onUsdValue].toSorted(),
    },
    adminPolicies: { byVersion: state.adminPolicies.indexes.byVersion.toObject() },
    pendingRequests: {
      released: [...pendingRequests.indexes.released].toSorted(),
      open: [...pendingRequests.indexes.open].toSorted(),
    },
  };
}

/** Throws when two rows have one key. */
function entriesOf(pairs: (readonly [string | false, string])[]): Record<string, string> {
  const present = pairs.flatMap(([key, id]) => (key === false ? [] : [[key, id] as const]));
  expect(new Set(present.map(([key]) => key)).size).toBe(present.length);
  return Object.fromEntries(present);
}

function grouped(pairs: (readonly [string, string])[]): Record<string, string[]> {
  const groups: Record<string, string[]> = {};
  for (const [group, id] of pairs) (groups[group] ??= []).push(id);
  return groups;
}

/** Every table of the state that has indexes is looked at above. */
function indexNames(state: VaultState): unknown {
  const tables = Object.entries(state).flatMap(([name, value]: [string, unknown]) => {
    const { indexes } = Object(value) as { indexes?: object };
    const names = Object.keys(indexes ?? {});
    return names.length === 0 ? [] : [[name, names.toSorted()] as const];
  });
  return Object.fromEntries(tables);
}

function leavers({ ledger }: Desk, { act }: Step, before: VaultState): Memory['joined'] {
  if (act !== 'putMemberBack') return [];
  // of the two changes of a group, only the one that was accepted took somebody out
  return [...ledger.state.securityGroups.rows.values()].flatMap((group) => {
    const was = before.securityGroups.rows.get(group.id);
    const last = group.members.at(-1);
    return was === group || last === undefined ? [] : [[group.id, last.id] as const];
  });
}

describe('the indexes of the state', () => {
  it('follow from the rows, whatever operations made them', () => {
    fc.assert(
      fc.property(anySteps({ minLength: 40, maxLength: 80 }), (steps) => {
        const desk = openDesk(createLedgerBuilder());
        const memory: Memory = {
          vaultOfWallet: new Map(),
          generatedKeys: new Map(),
          marks: new Map(),
          versions: { adminPolicies: new Map(), signingPolicies: new Map() },
          joined: [],
        };
        for (const step of steps) {
          const before = desk.ledger.state;
          take(desk, step);
          remember(memory, desk.ledger.state, leavers(desk, step, before));
          const expected = expectedIndexes(desk.ledger.state, memory);
          expect(heldIndexes(desk.ledger.state)).toEqual(expected);
        }
      }),
      // a ledger takes a while to make: the seed of a failure is worth more than its shrinking
      { numRuns: howMany(25), endOnFailure: true },
    );
  });

  it('are all looked at here', () => {
    const { state } = createLedgerBuilder();
    const held = Object.entries(heldIndexes(state)).map(([table, indexes]) => [
      table,
      Object.keys(indexes).toSorted(),
    ]);
    expect(indexNames(state)).toEqual(Object.fromEntries(held));
  });
});

describe('rows that change and go', () => {
  const open = () => {
    const ledger = createLedgerBuilder();
    const must = (method: string, target: string, body?: unknown) =>
      ledger.must(ledger.admin, method, target, body);
    const complete = (keyId: string, name: string) =>
      PARTY_NUMBERS.map((party) => ledger.attest(party, keyId, keyStory(name)).refusal?.message);
    return { ledger, must, complete };
  };
  const DONE = [undefined, undefined, undefined];

  it('free an email, and an API key that was rotated', () => {
    const { ledger, must } = open();
    const ada = { display_name: 'Ada', email: 'Ada@example.com', cloud_provider: 'gcp' };
    const first = must('POST', '/v1/users', { type: 'human', ...ada });
    must('DELETE', `/v1/users?user_ids=${first}`);
    const second = must('POST', '/v1/users', { type: 'human', ...ada });
    const bot = ledger.addMachine('Bot');
    must('PUT', `/v1/users/${bot.id}`, { rotate_api_key: true });
    const { byApiKey, byEmail } = ledger.state.users.indexes;
    expect(byEmail.toJS()).toEqual({ 'ada@example.com': second });
    expect(byApiKey.has(apiKeySha256(bot.apiKey))).toBe(false);
    expect(new Set(byApiKey.values())).toEqual(new Set([ledger.admin.id, bot.id]));
  });

  it('never free the public key of a key that the parties made', () => {
    const { must, complete } = open();
    const key = { type: 'ed25519', display_name: 'Key' };
    const first = must('POST', '/v1/keys', key);
    expect(complete(first, 'first')).toEqual(DONE);
    must('POST', `/v1/keys/${first}/destroy`);
    const [refusal] = complete(must('POST', '/v1/keys', key), 'first');
    expect(refusal).toMatch(/that of another key/);
  });

  it('leave the wallets of a vault where they stood in its list', () => {
    const { ledger, must, complete } = open();
    const vaultId = must('POST', '/v1/vaults', { display_name: 'Desk' });
    const path = `/v1/vaults/${vaultId}/wallets`;
    const ids = ['a', 'b', 'c'].map((name) => {
      const id = must('POST', path, { network_family: 'solana' });
      expect(complete(ledger.state.wallets.rows.get(id)!.keyId, name)).toEqual(DONE);
      return id;
    });
    const { address } = ledger.state.wallets.rows.get(ids[1]!)!;
    must('POST', `${path}/freeze?addresses=${address}`);
    must('DELETE', `${path}?addresses=${address}`);
    const { wallets } = ledger.state;
    const listing = listingOf(wallets, wallets.indexes.byVault.get(vaultId));
    const after = sliceTable(listing, { after: 0, limit: 1, matches: () => true });
    expect(after.rows.map(({ id }) => id)).toEqual([ids[2]]);
    expect(listing.order.indexOf(ids[2]!)).toBe(2);
    expect(wallets.indexes.byAddress.size).toBe(2);
  });

  it('put a member that was taken out and put back behind its other groups', () => {
    const { ledger, must, complete } = open();
    const id = must('POST', '/v1/keys', { type: 'ed25519', display_name: 'Key' });
    expect(complete(id, 'key')).toEqual(DONE);
    const member = { member_id: id, member_type: 'key' };
    const [one, two] = ['One', 'Two'].map((name) =>
      must('POST', '/v1/security-groups', { display_name: name, members: [member] }),
    );
    must('PATCH', `/v1/security-groups/${one}/members`, { add: [member], remove: [id] });
    expect(ledger.state.securityGroups.indexes.byMember.get(id)).toEqual([two, one]);
  });
});

it('compares names without the case of ASCII letters, and of no others: that depends on a table of Unicode', () => {
  const ledger = createLedgerBuilder();
  const make = (name: string) =>
    ledger.send(ledger.admin, 'POST', '/v1/vaults', { display_name: name }).refusal?.refused;
  expect(['Desk Ä', 'dESK Ä', 'desk ä'].map(make)).toEqual([
    undefined,
    'resource_conflict',
    undefined,
  ]);
});
