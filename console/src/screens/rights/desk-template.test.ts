import { describe, expect, it } from '@jest/globals';
import { ADMIN_POLICY_TYPES } from '@countersign/api/requests/admin-policy-types.js';
import { deskRights, isThere, rightsBeside } from './desk-template.js';
import type { AdminPolicy } from './right-words.js';

const GROUPS = { officers: 'the officers', auditors: 'the auditors' };
const rights = deskRights(GROUPS);
const named = (action: string) => rights.find((one) => one.action === action)!;

/** As the vault tells it. */
const told = (right: object, change: object = {}): AdminPolicy => {
  const { subjects, ...rest } = right as { subjects: object };
  const whole = { user_ids: [], user_group_ids: [], ...subjects };
  return {
    id: 'p',
    version: 1,
    scope: {},
    ...rest,
    subjects: whole,
    ...change,
  } as unknown as AdminPolicy;
};

describe('the template for a desk', () => {
  it('has one policy for each right, and the right to change rights last', () => {
    const actions = rights.map(({ action }) => action);
    expect(actions.toSorted()).toEqual([...ADMIN_POLICY_TYPES].toSorted());
    expect(actions.at(-1)).toBe('manage_admin_policies');
  });

  it('lets auditors look and freeze, and nothing else', () => {
    const theirs = rights.filter(({ subjects }) =>
      subjects.user_group_ids.includes(GROUPS.auditors),
    );
    const actions = theirs.map(({ action }) => action);
    expect(actions).toEqual(['view_system_resources', 'view_audit_logs', 'freeze']);
    expect(theirs.every((right) => right.approvals === undefined)).toBe(true);
  });

  it.each([
    'manage_admin_policies',
    'manage_users',
    'manage_user_groups',
    'unfreeze',
    'import_keys',
  ])('needs a second officer for %s', (action) => {
    const { approvals } = named(action);
    expect(approvals).toEqual({ quorum: 1, user_group_ids: [GROUPS.officers] });
  });
});

describe('what is in force already', () => {
  const right = named('manage_users');

  it('is not written again, whatever it is called', () => {
    expect(isThere(right, [told(right, { display_name: 'other' })])).toBe(true);
    expect(isThere(named('freeze'), [told(right)])).toBe(false);
  });

  it.each<[string, object]>([
    ['asks for nobody', { approvals: undefined }],
    ['asks for more', { approvals: { ...right.approvals, quorum: 2, user_ids: [] } }],
    ['denies', { effect: 'deny' }],
    ['waits longer', { delay_s: 60 }],
    ['holds in one vault', { scope: { vault_ids: ['v'] } }],
    ['names somebody beside', { subjects: { user_ids: ['u'], user_group_ids: [GROUPS.officers] } }],
  ])('is another policy where it %s', (_what, change) => {
    expect(isThere(right, [told(right, change)])).toBe(false);
  });
});

describe('what stays beside it', () => {
  const subjects = { user_ids: ['machine'], user_group_ids: [] };

  it('is told where somebody may do alone what officers do in two', () => {
    const alone = told(named('manage_users'), { subjects, approvals: undefined });
    expect(rightsBeside([alone], GROUPS)).toEqual([alone]);
  });

  it.each<[string, AdminPolicy]>([
    ['asks for approvals', told(named('manage_users'), { subjects })],
    ['denies', told(named('manage_users'), { subjects, approvals: undefined, effect: 'deny' })],
    ['is a right that officers have alone', told(named('create_vaults'), { subjects })],
    ['names officers alone', told(named('manage_users'), { approvals: undefined })],
  ])('is not told where it %s', (_what, policy) => {
    expect(rightsBeside([policy], GROUPS)).toEqual([]);
  });
});
