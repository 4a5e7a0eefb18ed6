import { describe, expect, it } from '@jest/globals';
import type { AdminPolicy, HumanUser, MachineUser } from '../state/state.js';
import type { AdminPolicyType } from '@countersign/api/requests/admin-policy-types.js';
import { EMPTY_STATE, type VaultState } from '../state/state.js';
import { insertRow } from '../state/table.js';
import { refuseEscalation } from './user-rights.js';

const STAMPS = { createdAt: 0, createdBy: 'x', lastUpdatedAt: 0, lastUpdatedBy: 'x' };

const machine = (id: string, change: Partial<MachineUser> = {}): MachineUser => ({
  ...STAMPS,
  id,
  type: 'machine',
  displayName: id,
  description: null,
  userGroupIds: [],
  frozen: null,
  apiKeySha256: 'key',
  publicKey: 'public',
  publicKeySince: 0,
  expiresAt: null,
  ...change,
});

/** `who` is a user's or a group's id: the tests name groups `g…`. */
const allow = (
  who: string,
  action: AdminPolicyType,
  scopeVaultIds: readonly string[] | null = null,
  effect: 'allow' | 'deny' = 'allow',
): AdminPolicy => ({
  ...STAMPS,
  id: `${effect} ${who} ${action} ${String(scopeVaultIds)}`,
  displayName: 'policy',
  action,
  effect,
  subjects: who.startsWith('g')
    ? { userIds: [], userGroupIds: [who] }
    : { userIds: [who], userGroupIds: [] },
  scopeVaultIds,
  version: 1,
});

const stateOf = (...policies: AdminPolicy[]): VaultState => ({
  ...EMPTY_STATE,
  adminPolicies: policies.reduce(
    (table, policy) => insertRow(table, policy),
    EMPTY_STATE.adminPolicies,
  ),
});

const actor = machine('actor');
const userManager = allow('actor', 'manage_users');
const groupManager = allow('actor', 'manage_user_groups');

describe('who manages users', () => {
  it('may make a user without groups, and rename anybody', () => {
    const state = stateOf(userManager, allow('boss', 'freeze'));
    expect(refuseEscalation(state, actor, undefined, machine('new'))).toBeUndefined();
    const boss = machine('boss');
    const renamed = { ...boss, displayName: 'Boss', description: 'renamed' };
    expect(refuseEscalation(state, actor, boss, renamed)).toBeUndefined();
  });

  it.each<[string, Partial<MachineUser>]>([
    ['public key', { publicKey: 'mine' }],
    ['API key', { apiKeySha256: 'mine' }],
  ])('may not change the %s of a user who may do more', (_what, change) => {
    const before = machine('boss');
    const after = machine('boss', change);
    const bossy = stateOf(userManager, allow('boss', 'freeze'));
    expect(refuseEscalation(bossy, actor, before, after)?.refused).toBe('forbidden');
    const equal = stateOf(userManager, allow('boss', 'freeze'), allow('actor', 'freeze'));
    expect(refuseEscalation(equal, actor, before, after)).toBeUndefined();
  });

  it('may not take over a user whose wide right has an exception', () => {
    const state = stateOf(
      userManager,
      allow('boss', 'manage_wallets'),
      allow('boss', 'manage_wallets', ['v1'], 'deny'),
    );
    const after = machine('boss', { publicKey: 'mine' });
    expect(refuseEscalation(state, actor, machine('boss'), after)?.refused).toBe('forbidden');
  });

  it('may not change groups without the right to manage groups', () => {
    const state = stateOf(userManager);
    const into = machine('new', { userGroupIds: ['g1'] });
    expect(refuseEscalation(state, actor, undefined, into)?.message).toContain(
      'manage_user_groups',
    );
    const out = refuseEscalation(state, actor, into, machine('new'));
    expect(out?.message).toContain('manage_user_groups');
  });

  it('may not put anybody, themselves included, into a group that may do more', () => {
    const state = stateOf(userManager, groupManager, allow('g1', 'manage_wallets', ['v1']));
    for (const id of ['new', 'actor']) {
      const after = machine(id, { userGroupIds: ['g1'] });
      expect(refuseEscalation(state, actor, machine(id), after)?.refused).toBe('forbidden');
    }
    const held = stateOf(
      userManager,
      groupManager,
      allow('g1', 'manage_wallets', ['v1']),
      allow('actor', 'manage_wallets', ['v1', 'v2']),
    );
    const after = machine('new', { userGroupIds: ['g1'] });
    expect(refuseEscalation(held, actor, machine('new'), after)).toBeUndefined();
  });

  it('may not lift a denial by taking a user out of the group that is denied', () => {
    const state = stateOf(
      userManager,
      groupManager,
      allow('boss', 'freeze'),
      allow('g1', 'freeze', null, 'deny'),
    );
    const before = machine('boss', { userGroupIds: ['g1'] });
    expect(refuseEscalation(state, actor, before, machine('boss'))?.refused).toBe('forbidden');
  });

  it('may reorder the groups of a user: that changes nothing', () => {
    const state = stateOf(userManager, allow('g1', 'freeze'));
    const before = machine('boss', { userGroupIds: ['g1', 'g2'] });
    const after = machine('boss', { userGroupIds: ['g2', 'g1'] });
    expect(refuseEscalation(state, actor, before, after)).toBeUndefined();
  });

  it('is held to the same rule for people, whose enrolment code is a credential', () => {
    const person: HumanUser = {
      ...STAMPS,
      id: 'person',
      type: 'human',
      displayName: 'Person',
      description: null,
      userGroupIds: [],
      frozen: null,
      email: 'a@example.com',
      cloudProvider: 'gcp',
      enrollmentCodeSha256: 'code',
    };
    const state = stateOf(userManager, allow('person', 'freeze'));
    expect(refuseEscalation(state, actor, undefined, person)?.refused).toBe('forbidden');
  });
});
