import * as s from '@countersign/core/shapes.js';
import { OPERATION_CLASSES, type OperationClass } from '@countersign/core/vocabulary.js';
import type { ComparedRules, Condition, ConditionedRule } from './condition.js';
import { FORMS } from './condition-forms.js';
import { heldIf, keptOf } from './tested.js';
import { isSubset, listOf } from './listed.js';
import { networks } from './networks.js';

export const operationClasses = {
  ...FORMS.operationClasses,
  text: 'What a venue request does at the venue; nothing but venue requests matches. Absent: of venue requests a rule that allows covers `read`, `cancel` and `trade`, one that denies all. `cancel` can only take orders away; where the signature at a venue cannot tell them apart, it reads orders, too.',
  ...listOf(s.words(OPERATION_CLASSES)),
  words: {
    form: 'list',
    label: 'Classes',
    entries: {
      known: OPERATION_CLASSES,
      none: 'read, cancel and trade; of a rule that denies all',
    },
  },
  turn: 'content',
  reads: ['venue_request'],
  test: (wanted, { request: { venue } }) =>
    heldIf(venue !== undefined && wanted.includes(venue.operationClass)),
  covers(wide, narrow: readonly OperationClass[] = [], { outer, inner }: ComparedRules): boolean {
    const isStatedBy = ({ when }: ConditionedRule) => when['operationClasses'] !== undefined;
    // otherwise the inner one covers transactions too
    if (isStatedBy(outer) && !isStatedBy(inner)) return false;
    // a rule with networks covers transactions alone
    return keptOf(networks, inner.when) !== undefined || isSubset(narrow, wide);
  },
} as const satisfies Condition<readonly OperationClass[]>;
