import * as s from '@countersign/core/shapes.js';
import {
  SIGNING_OPERATION_NAMES,
  type SigningOperationName,
} from '@countersign/core/vocabulary.js';
import type { ComparedRules, Condition } from './condition.js';
import { heldIf } from './tested.js';
import { isSubset, listOf } from './listed.js';

export const signingOperation = s.words(SIGNING_OPERATION_NAMES);

const list = listOf(signingOperation, signingOperation);

export const operations = {
  name: 'operations',
  field: 'operations',
  text: 'What is asked for. `sign`: a transaction or a venue request; `raw_sign`: bytes as they are. Absent: a rule that allows covers `sign` alone, one that denies both.',
  ...list,
  stated: s.array(signingOperation).min(1),
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
  /**
   * Raw signing bypasses every content rule. So a rule that allows must name it: silence never covers it. A rule that
   * denies stops it with everything else.
   */
  unstated: (denies: boolean): readonly SigningOperationName[] =>
    denies ? SIGNING_OPERATION_NAMES : ['sign'],
  test: (wanted, { request }) => heldIf(wanted.includes(request.operation)),
  covers(wide, narrow: readonly SigningOperationName[] = [], { innerReads }: ComparedRules) {
    // raw bytes have no content that a rule could look at
    return isSubset(innerReads ? narrow.filter((name) => name !== 'raw_sign') : narrow, wide);
  },
} as const satisfies Condition<readonly SigningOperationName[]>;
