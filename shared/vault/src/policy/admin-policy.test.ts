import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { isRefusal } from '@countersign/core/errors.js';
import type { AdminPolicy, MachineUser, VaultState } from '../state/state.js';
import type { AdminPolicyType } from '@countersign/api/requests/admin-policy-types.js';
import { EMPTY_STATE } from '../state/state.js';
import { insertRow } from '../state/table.js';
import { authorizeAdmin, findLostRight, holdsRightsOf } from './admin-policy.js';

const STAMPS = { createdAt: 0, createdBy: 'x', lastUpdatedAt: 0, lastUpdatedBy: 'x' };
const USERS = ['u1', 'u2', 'u3'];
const GROUPS = ['g1', 'g2'];
const VAULTS = ['v1', 'v2', 'v3'];
const ACTIONS: AdminPolicyType[] = ['manage_wallets', 'freeze', 'manage_users'];
const SCOPED: AdminPolicyType[] = ['manage_wallets', 'freeze'];

function user(id: string, userGroupIds: readonly string[] = []): MachineUser {
  return {
    ...STAMPS,
    id,
    type: 'machine',
    displayName: id,
    description: null,
    userGroupIds,
    frozen: null,
    apiKeySha256: '',
    publicKey: '',
    publicKeySince: 0,
    expiresAt: null,
  };
}

let count = 0;
const policy: fc.Arbitrary<AdminPolicy> = fc
  .record({
    action: fc.constantFrom(...ACTIONS),
    effect: fc.oneof(
      { weight: 3, arbitrary: fc.constant('allow' as const) },
      { weight: 1, arbitrary: fc.constant('deny' as const) },
    ),
    subjects: fc.record({ userIds: fc.subarray(USERS), userGroupIds: fc.subarray(GROUPS) }),
    scope: fc.option(fc.subarray(VAULTS, { minLength: 1 }), { nil: null }),
  })
  .map(({ scope, ...fields }) => ({
    ...STAMPS,
    ...fields,
    id: `policy-${count++}`,
    displayName: 'a policy',
    scopeVaultIds: SCOPED.includes(fields.action) ? scope : null,
    version: 3,
  }));

const policies = fc.array(policy, { maxLength: 8 });
const anyUser = fc
  .tuple(fc.constantFrom(...USERS), fc.subarray(GROUPS))
  .map(([id, groups]) => user(id, groups));
const anyAction = fc.constantFrom(...ACTIONS);
const anyVaults = fc.subarray([...VAULTS, 'a vault that no policy names']);

function stateOf(rows: readonly AdminPolicy[]): VaultState {
  return {
    ...EMPTY_STATE,
    adminPolicies: rows.reduce((table, row) => insertRow(table, row), EMPTY_STATE.adminPolicies),
  };
}

function may(
  rows: readonly AdminPolicy[],
  who: MachineUser,
  action: AdminPolicyType,
  vaultIds: readonly string[],
): boolean {
  return !isRefusal(authorizeAdmin(stateOf(rows), who, action, vaultIds));
}

/** The rule once more, from its text: no deny that touches the act, and allows for all of it. */
function expected(
  rows: readonly AdminPolicy[],
  who: MachineUser,
  action: AdminPolicyType,
  vaultIds: readonly string[],
): boolean {
  const mine = rows.filter((row) => {
    const names = new Set([...row.subjects.userIds, ...row.subjects.userGroupIds]);
    return row.action === action && [who.id, ...who.userGroupIds].some((id) => names.has(id));
  });
  for (const row of mine) {
    if (row.effect !== 'deny') continue;
    const scope = row.scopeVaultIds;
    if (scope === null || vaultIds.length === 0) return false;
    if (scope.filter((id) => vaultIds.includes(id)).length > 0) return false;
  }
  const allows = mine.filter((row) => row.effect === 'allow');
  if (allows.some((row) => row.scopeVaultIds === null)) return true;
  const covered = new Set(allows.flatMap((row) => row.scopeVaultIds ?? []));
  return vaultIds.length > 0 && vaultIds.every((id) => covered.has(id));
}

describe('authorizeAdmin', () => {
  it('decides as an evaluator written apart from it, 20 000 random acts long', () => {
    const seen = [0, 0];
    const act = fc.tuple(anyUser, anyAction, anyVaults);
    fc.assert(
      fc.property(policies, fc.array(act, { minLength: 10, maxLength: 10 }), (rows, acts) =>
        acts.every(([who, action, vaultIds]) => {
          const allowed = may(rows, who, action, vaultIds);
          seen[Number(allowed)]! += 1;
          return allowed === expected(rows, who, action, vaultIds);
        }),
      ),
      { numRuns: 2_000 },
    );
    expect(Math.min(...seen)).toBeGreaterThan(1_000);
  });

  it('allows nothing where no policy says so', () => {
    const denials = policies.map((rows) => rows.filter((row) => row.effect === 'deny'));
    fc.assert(
      fc.property(denials, anyUser, anyAction, anyVaults, (rows, who, action, vaultIds) => {
        expect(may(rows, who, action, vaultIds)).toBe(false);
      }),
      { numRuns: 500 },
    );
  });

  it('an unscoped deny wins over every allow, wherever it stands', () => {
    fc.assert(
      fc.property(
        policies,
        anyUser,
        anyAction,
        anyVaults,
        fc.nat(8),
        (rows, who, action, v, at) => {
          const denial: AdminPolicy = {
            ...STAMPS,
            id: 'denial',
            displayName: 'denial',
            action,
            effect: 'deny',
            subjects: { userIds: [who.id], userGroupIds: [] },
            scopeVaultIds: null,
            version: 1,
          };
          const position = Math.min(at, rows.length);
          const all = [...rows.slice(0, position), denial, ...rows.slice(position)];
          expect(may(all, who, action, v)).toBe(false);
        },
      ),
      { numRuns: 500 },
    );
  });

  it('one more allow never takes a right away, one more deny never gives one', () => {
    fc.assert(
      fc.property(policies, policy, anyUser, anyAction, anyVaults, (rows, more, who, action, v) => {
        const [before, after] = [rows, [...rows, more]].map((all) => may(all, who, action, v));
        if (more.effect === 'allow') expect(Number(after)).toBeGreaterThanOrEqual(Number(before));
        else expect(Number(after)).toBeLessThanOrEqual(Number(before));
      }),
      { numRuns: 500 },
    );
  });

  it('does not depend on the order of the policies', () => {
    fc.assert(
      fc.property(policies, anyUser, anyAction, anyVaults, (rows, who, action, v) => {
        expect(may(rows.toReversed(), who, action, v)).toBe(may(rows, who, action, v));
      }),
      { numRuns: 500 },
    );
  });

  it('an act on several vaults is allowed only when it is on each of them', () => {
    fc.assert(
      fc.property(policies, anyUser, anyAction, anyVaults, (rows, who, action, vaultIds) => {
        fc.pre(vaultIds.length > 0);
        const each = vaultIds.every((id) => may(rows, who, action, [id]));
        expect(may(rows, who, action, vaultIds)).toBe(each);
      }),
      { numRuns: 2_000 },
    );
  });

  it('names the policy that decided, with its version', () => {
    fc.assert(
      fc.property(policies, anyUser, anyAction, anyVaults, (rows, who, action, vaultIds) => {
        const decision = authorizeAdmin(stateOf(rows), who, action, vaultIds);
        const named = rows.find((row) => row.id === decision.policy?.id);
        if (isRefusal(decision) && decision.policy === undefined) return;
        expect(named).toMatchObject({
          action,
          effect: isRefusal(decision) ? 'deny' : 'allow',
          version: decision.policy?.version,
        });
      }),
      { numRuns: 500 },
    );
  });
});

describe('holdsRightsOf', () => {
  const everyScope = [[], ...VAULTS.map((id) => [id]), ['a vault that no policy names']];

  it('is true exactly when there is nothing that the other may do and the holder may not', () => {
    const seen = [0, 0];
    fc.assert(
      fc.property(policies, anyUser, anyUser, (rows, holder, other) => {
        const covered = ACTIONS.every((action) =>
          everyScope.every((v) => !may(rows, other, action, v) || may(rows, holder, action, v)),
        );
        expect(holdsRightsOf(stateOf(rows), holder, other)).toBe(covered);
        seen[Number(covered)]! += 1;
      }),
      { numRuns: 1_500 },
    );
    expect(Math.min(...seen)).toBeGreaterThan(150);
  });

  it('sees a right everywhere but in one vault: a scoped deny hides nothing', () => {
    const row = (effect: 'allow' | 'deny', scopeVaultIds: string[] | null): AdminPolicy => ({
      ...STAMPS,
      id: effect,
      displayName: effect,
      action: 'manage_wallets',
      effect,
      subjects: { userIds: ['u2'], userGroupIds: [] },
      scopeVaultIds,
      version: 1,
    });
    const state = stateOf([row('allow', null), row('deny', ['v1'])]);
    expect(holdsRightsOf(state, user('u1'), user('u2'))).toBe(false);
    expect(holdsRightsOf(state, user('u2'), user('u1'))).toBe(true);
  });
});

describe.each([
  ['manage_admin_policies', 'change the administrative policy', 'unfreeze'],
  ['unfreeze', 'unfreeze the system', 'manage_admin_policies'],
] as const)('findLostRight: %s', (action, words, other) => {
  const allow: AdminPolicy = {
    ...STAMPS,
    id: 'allow',
    displayName: 'allow',
    action,
    effect: 'allow',
    subjects: { userIds: [], userGroupIds: ['g1'] },
    scopeVaultIds: null,
    version: 1,
  };
  const keeper = { ...user('keeper'), displayName: 'keeper', apiKeySha256: 'k', publicKey: 'k' };
  const kept = {
    ...allow,
    id: 'kept',
    action: other,
    subjects: { userIds: [keeper.id], userGroupIds: [] },
  };
  const users = insertRow(EMPTY_STATE.users, keeper);
  const of = (rows: readonly AdminPolicy[]) => ({ ...stateOf([...rows, kept]), users });
  const withUser = (row: MachineUser, rows: readonly AdminPolicy[] = [allow]): VaultState => ({
    ...of(rows),
    users: insertRow(users, row),
  });
  const member = user('u1', ['g1']);
  const freeze = { at: 0, by: 'x', reason: null };

  it('counts a member of an allowed group', () => {
    expect(findLostRight(withUser(member))).toBeUndefined();
  });

  it.each<[string, VaultState]>([
    ['nobody', of([allow])],
    ['somebody outside the group', withUser(user('u1', ['g2']))],
    ['somebody frozen', withUser({ ...member, frozen: freeze })],
    ['somebody who expires one day', withUser({ ...member, expiresAt: 4e12 })],
    [
      'somebody who may not come from everywhere',
      withUser({ ...member, allowedAddresses: ['0.0.0.0/0', '::/0'] }),
    ],
    ['somebody denied', withUser(member, [allow, { ...allow, id: 'deny', effect: 'deny' }])],
    ['somebody for one vault', withUser(member, [{ ...allow, scopeVaultIds: ['v1'] }])],
    ['a user who was deleted', of([{ ...allow, subjects: { userIds: ['u9'], userGroupIds: [] } }])],
  ])('does not count %s', (_who, state) => {
    expect(findLostRight(state)).toBe(words);
  });
});
