import * as s from '@countersign/core/shapes.js';
import { shownSubjects, SUBJECT_TEXTS } from './subjects.js';
import type { Condition } from './condition.js';
import type { Initiators, NamedInitiators } from './kept-conditions.js';
import { FORMS } from './condition-forms.js';
import { heldIf } from './tested.js';
import { isSubset } from './listed.js';

const NOBODY: NamedInitiators = { userIds: [], userGroupIds: [] };

const shown = s.union([s.literal('anyone'), shownSubjects]);

export const initiators = {
  ...FORMS.initiators,
  text: 'Who asks for the signature: users and user groups, or `anyone`. A rule that does not deny must say so; absent, a rule that denies covers everybody.',
  fieldTexts: SUBJECT_TEXTS,
  shown,
  show: (who: Initiators): s.InputOf<typeof shown> =>
    who === 'anyone' ? who : { user_ids: [...who.userIds], user_group_ids: [...who.userGroupIds] },
  words: {
    form: 'people',
    label: 'Asked by',
    say: (who) => (who === 'anyone' ? who : undefined),
  },
  turn: 'standing',
  test: (wanted, { request }) => heldIf(FORMS.initiators.isOf(wanted, request)),
  covers(wide, narrow: Initiators = NOBODY) {
    if (wide === 'anyone') return true;
    return (
      narrow !== 'anyone' &&
      isSubset(narrow.userIds, wide.userIds) &&
      isSubset(narrow.userGroupIds, wide.userGroupIds)
    );
  },
} as const satisfies Condition<Initiators, typeof FORMS.initiators.stated, typeof shown>;
