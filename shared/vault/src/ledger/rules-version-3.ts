/** The third rules: the second, over the operations as they are now, and what {@link judgeGuarded} refuses. */
import { LEDGER_OPERATIONS } from '../operations/ledger-operations.js';
import type { Rules } from './judging.js';
import { judgeByOperations } from './rules-version-1.js';
import { judgeOver } from './rules-version-2.js';
import { judgeGuarded } from './third-guards.js';

export const rulesVersion3: Rules = {
  version: 3,
  judge: judgeGuarded(judgeOver(judgeByOperations(LEDGER_OPERATIONS))),
};
