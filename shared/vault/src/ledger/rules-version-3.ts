/**
 * The third rules: the second, over the operations as they are now and with more that a change must not come to; and
 * what a policy wants approved, or delayed, waits, signatures included.
 */
import { LEDGER_OPERATIONS } from '../operations/ledger-operations.js';
import { SIGNING_HOLDS } from '../operations/signing-holds.js';
import { performGoverned, settleDue } from './held-requests.js';
import type { Rules } from './judging.js';
import { judgeByOperations } from './rules-version-1.js';
import { judgeOver } from './rules-version-2.js';

const operations = [...LEDGER_OPERATIONS, ...SIGNING_HOLDS];

export const rulesVersion3: Rules = {
  version: 3,
  operations,
  judge: judgeOver(judgeByOperations(operations, performGoverned)),
  settleDue,
};
