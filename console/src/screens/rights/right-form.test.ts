import { describe, expect, it } from '@jest/globals';
import {
  EMPTY_RIGHT,
  formOf,
  missingIn,
  rightOf,
  withinReach,
  type RightForm,
} from './right-form.js';
import { changesOf, rightWords, type AdminPolicy } from './right-words.js';

const POLICY = {
  id: 'p',
  version: 3,
  display_name: 'Keys of the desk',
  action: 'manage_wallets',
  effect: 'allow',
  subjects: { user_ids: ['ada'], user_group_ids: ['officers'] },
  scope: { vault_ids: ['treasury'] },
  approvals: { quorum: 2, user_ids: [], user_group_ids: ['officers'], expires_in_s: 600 },
  delay_s: 100,
} as unknown as AdminPolicy;

const GROUPS = new Set(['officers']);
const NAMES = new Map([
  ['ada', 'Ada'],
  ['officers', 'Officers'],
  ['treasury', 'Treasury'],
]);

describe('a right', () => {
  it('comes out of the form as it went in, with what the form does not show', () => {
    expect(rightOf(formOf(POLICY), [], POLICY)).toEqual({
      display_name: 'Keys of the desk',
      action: 'manage_wallets',
      effect: 'allow',
      subjects: { user_ids: ['ada'], user_group_ids: ['officers'] },
      scope: { vault_ids: ['treasury'] },
      approvals: { quorum: 2, user_group_ids: ['officers'], expires_in_s: 600 },
      delay_s: 100,
    });
  });

  it('states nothing that the form leaves empty', () => {
    const form: RightForm = { ...EMPTY_RIGHT, name: ' Look ', who: ['ada'] };
    expect(rightOf(form, GROUPS)).toEqual({
      display_name: 'Look',
      action: 'view_system_resources',
      effect: 'allow',
      subjects: { user_ids: ['ada'] },
    });
  });

  it.each<[string, Partial<RightForm>, object]>([
    ['another right is in no vault', { action: 'manage_users' }, { vaultIds: [] }],
    ['a freeze never waits', { action: 'freeze' }, { quorum: '0', approvers: [], delayHours: '0' }],
    ['what is denied never waits', { effect: 'deny' }, { quorum: '0', delayHours: '0' }],
    ['the rest stays', { name: 'x' }, { quorum: '2', vaultIds: ['treasury'] }],
  ])('asks for nothing that it cannot have: %s', (_what, change, expected) => {
    expect(withinReach({ ...formOf(POLICY), ...change })).toMatchObject(expected);
  });

  it.each<[string, Partial<RightForm>, RegExp | undefined]>([
    ['whole', {}, undefined],
    ['without a name', { name: ' ' }, /name/],
    ['about nobody', { who: [] }, /whom/],
    ['with approvals of nobody', { approvers: [] }, /approve/],
    ['with half an approval', { quorum: '0.5' }, /approvals/],
    ['with a delay that is no number', { delayHours: 'x' }, /hours/],
    ['with a delay that is past', { delayHours: '-1' }, /hours/],
  ])('%s', (_what, change, expected) => {
    const missing = missingIn({ ...formOf(POLICY), ...change });
    if (expected === undefined) expect(missing).toBeUndefined();
    else expect(missing).toMatch(expected);
  });
});

describe('in words', () => {
  it('it says who, where, after what, and how much later', () => {
    expect(rightWords(POLICY, NAMES)).toBe(
      'Ada, Officers, in Treasury, after 2 approvals of Officers, 100 s later',
    );
    const denied = {
      ...POLICY,
      effect: 'deny',
      approvals: undefined,
      delay_s: 0,
      scope: {},
    } as const;
    expect(rightWords(denied, NAMES)).toBe('never Ada, Officers');
  });

  it('it tells apart two of the same name, and delays that hardly differ', () => {
    const twins = new Map([...NAMES, ['other', 'Ada']]);
    const after = {
      ...POLICY,
      subjects: { user_ids: ['other'], user_group_ids: [] },
      delay_s: 101,
    };
    expect(changesOf(POLICY, after, twins)).toEqual([
      { field: 'who', before: 'Ada (ada), Officers', after: 'Ada (other)' },
      { field: 'delay', before: '100 s', after: '101 s' },
    ]);
  });

  it('it says what a change changes, and nothing else', () => {
    const after = { ...POLICY, subjects: { user_ids: [], user_group_ids: ['officers'] } };
    expect(changesOf(POLICY, after, NAMES)).toEqual([
      { field: 'who', before: 'Ada, Officers', after: 'Officers' },
    ]);
    expect(changesOf(POLICY, POLICY, NAMES)).toEqual([]);
    expect(changesOf(undefined, POLICY, NAMES).map(({ field }) => field)).toEqual([
      'name',
      'right',
      'effect',
      'who',
      'where',
      'approvals',
      'delay',
    ]);
  });
});
