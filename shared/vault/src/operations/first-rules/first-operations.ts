/**
 * The operations as the first two versions of the rules know them. An operation that took another body since, or
 * does something else with it, stands here as it was; whoever changes what one means copies it first. What has
 * come since is not there.
 */
import { LEDGER_OPERATIONS } from '../ledger-operations.js';
import { firstCreateAdminPolicy, firstUpdateAdminPolicy } from './first-admin-policies.js';
import { freezingWithoutUpdates } from '../freeze.js';
import type { LedgerOperation } from '../ledger-operation.js';
import { FIRST_SECURITY_GROUP_OPERATIONS } from './first-security-groups.js';
import { FIRST_WALLET_OPERATIONS } from './first-wallets.js';
import { firstCreateUser, firstUpdateUser } from './first-users.js';
import { firstCreateSigningPolicy, firstUpdateSigningPolicy } from './first-signing-policies.js';

/** As they were, in the place of today's of the same `id`. */
const AS_THEY_WERE: readonly LedgerOperation[] = [
  firstCreateAdminPolicy,
  firstUpdateAdminPolicy,
  firstCreateSigningPolicy,
  firstUpdateSigningPolicy,
  ...freezingWithoutUpdates,
  ...FIRST_WALLET_OPERATIONS,
  ...FIRST_SECURITY_GROUP_OPERATIONS,
  firstCreateUser,
  firstUpdateUser,
];

/** `id`s of those that came with later rules. */
const CAME_LATER: readonly string[] = [
  'bulk-generate-keys',
  'bulk-create-wallets',
  'create-webhook',
  'update-webhook',
  'delete-webhook',
  'approve-request',
  'reject-request',
  'cancel-request',
  'register-passkey',
  'delete-passkey',
];

export const FIRST_OPERATIONS: readonly LedgerOperation[] = LEDGER_OPERATIONS.filter(
  ({ id }) => !CAME_LATER.includes(id),
).map((today) => AS_THEY_WERE.find((one) => one.id === today.id) ?? today);
