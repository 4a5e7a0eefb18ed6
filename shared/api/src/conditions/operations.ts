import {
  SIGNING_OPERATION_NAMES,
  type SigningOperationName,
} from '@countersign/core/vocabulary.js';
import type { ComparedRules, Condition } from './condition.js';
import { FORMS, signingOperation } from './condition-forms.js';
import { heldIf } from './tested.js';
import { isSubset, listOf } from './listed.js';

export const operations = {
  ...FORMS.operations,
  text: 'What is asked for. `sign`: a transaction or a venue request; `raw_sign`: bytes as they are. Absent: a rule that allows covers `sign` alone, one that denies both.',
  ...listOf(signingOperation),
  words: {
    form: 'list',
    label: 'Operations',
    entries: {
      known: SIGNING_OPERATION_NAMES,
      none: 'sign; of a rule that denies both',
      meanings: {
        sign: 'an order or another request to a venue, or a transaction',
        raw_sign: 'bytes that the vault does not read',
      },
    },
  },
  turn: 'standing',
  test: (wanted, { request }) => heldIf(FORMS.operations.isOf(wanted, request)),
  covers(wide, narrow: readonly SigningOperationName[] = [], { innerReads }: ComparedRules) {
    // raw bytes have no content that a rule could look at
    return isSubset(innerReads ? narrow.filter((name) => name !== 'raw_sign') : narrow, wide);
  },
} as const satisfies Condition<readonly SigningOperationName[]>;
