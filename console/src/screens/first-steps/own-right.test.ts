import { expect, it } from '@jest/globals';
import { mayRawSign } from './own-right.js';

const me = { id: 'me', user_groups: [{ id: 'desk', display_name: 'Desk', description: null }] };
type Rules = Parameters<typeof mayRawSign>[0];

const rule = (change: object, when: object = {}): Rules =>
  [
    {
      ...{ id: 'r', display_name: 'r', enabled: true, then: 'allow' },
      when: { operations: ['raw_sign'], initiators: { user_ids: ['me'] }, ...when },
      ...change,
    },
  ] as unknown as Rules;

it.each<[string, Rules, boolean]>([
  ['names me', rule({}), true],
  ['names a group of mine', rule({}, { initiators: { user_group_ids: ['desk'] } }), true],
  ['is for anyone', rule({}, { initiators: 'anyone' }), true],
  ['names another', rule({}, { initiators: { user_ids: ['other'] } }), false],
  ['names another group', rule({}, { initiators: { user_group_ids: ['other'] } }), false],
  ['names nobody', rule({}, { initiators: undefined }), false],
  ['is of signatures alone', rule({}, { operations: ['sign'] }), false],
  ['names no operations', rule({}, { operations: undefined }), false],
  ['denies', rule({ then: 'deny' }), false],
  ['asks for approvals', rule({ then: { require_approvals: { quorum: 1 } } }), false],
  ['is disabled', rule({ enabled: false }), false],
])('a rule that %s', (_what, rules, may) => {
  expect(mayRawSign(rules, me)).toBe(may);
});
