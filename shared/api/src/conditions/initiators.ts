import * as s from '@countersign/core/shapes.js';
import { statedSubjects, shownSubjects } from './subjects.js';
import type { AskedRequest, Condition } from './condition.js';
import { heldIf } from './tested.js';
import { isSubset } from './listed.js';

interface Named {
  readonly userIds: readonly string[];
  readonly userGroupIds: readonly string[];
}

export type Initiators = Named | 'anyone';

const NOBODY: Named = { userIds: [], userGroupIds: [] };

const stated = s.union([s.literal('anyone'), statedSubjects]);
const shown = s.union([s.literal('anyone'), shownSubjects]);

export const initiators = {
  name: 'initiators',
  field: 'initiators',
  text: 'Who asks for the signature: users and user groups, or `anyone`. A rule that does not deny must say so; absent, a rule that denies covers everybody.',
  stated,
  shown,
  keep: (who: s.OutputOf<typeof stated>): Initiators =>
    who === 'anyone'
      ? who
      : { userIds: who.user_ids ?? [], userGroupIds: who.user_group_ids ?? [] },
  show: (who: Initiators): s.InputOf<typeof shown> =>
    who === 'anyone' ? who : { user_ids: [...who.userIds], user_group_ids: [...who.userGroupIds] },
  words: {
    form: 'people',
    label: 'Asked by',
    say: (who) => (who === 'anyone' ? who : undefined),
  },
  /** A rule without it names nobody: a reader of the rule looks first for who may sign. */
  findFault: (who, { then }) =>
    who === undefined && then !== 'deny'
      ? 'a rule that does not deny must name users, user groups or "anyone"'
      : undefined,
  turn: 'standing',
  unstated: (denies: boolean): Initiators => (denies ? 'anyone' : NOBODY),
  test: (wanted, { request }) => heldIf(isNamed(wanted, request.initiator)),
  covers(wide, narrow: Initiators = NOBODY) {
    if (wide === 'anyone') return true;
    return (
      narrow !== 'anyone' &&
      isSubset(narrow.userIds, wide.userIds) &&
      isSubset(narrow.userGroupIds, wide.userGroupIds)
    );
  },
} as const satisfies Condition<Initiators, typeof stated, typeof shown>;

/** Whether it names the user. */
export function isNamed(who: Initiators, { id, userGroupIds }: AskedRequest['initiator']): boolean {
  return (
    who === 'anyone' ||
    who.userIds.includes(id) ||
    who.userGroupIds.some((group) => userGroupIds.includes(group))
  );
}
