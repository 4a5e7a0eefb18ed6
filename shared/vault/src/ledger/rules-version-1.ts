/**
 * Version 1 of the rules: the only one at release zero. Whoever changes what an entry means adds a version, with its
 * own copies of the operations that it changes: see docs/decisions/0008.
 */
import { LEDGER_OPERATIONS } from '../operations/ledger-operations.js';
import { SIGNING_HOLDS } from '../operations/signing-holds.js';
import { rulesOver } from './rules-over.js';

export const rulesVersion1 = rulesOver(1, [...LEDGER_OPERATIONS, ...SIGNING_HOLDS]);
