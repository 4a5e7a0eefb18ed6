/**
 * A version of the rules that exists in tests alone: it shows that the mechanism for versions works. It changes one
 * operation by a copy of its own, and names every other operation that it knows: what comes later does not come into it.
 */
import { deny } from '@countersign/core/denials.js';
import type { Rules } from '@countersign/vault/ledger/judging.js';
import { rulesOver } from '@countersign/vault/ledger/rules-over.js';
import { createAdminPolicy } from '@countersign/vault/operations/admin-policies.js';
import { generateKey } from '@countersign/vault/operations/keys.js';
import { freezeOperations } from '@countersign/vault/operations/freeze.js';
import { createUser, updateUser } from '@countersign/vault/operations/users.js';
import { createUserGroup } from '@countersign/vault/operations/user-groups.js';
import { createVault } from '@countersign/vault/operations/vaults.js';

/** Vaults are not made any more. */
export function tomorrowsRules(version: number): Rules {
  return rulesOver(version, [
    createUser,
    updateUser,
    createUserGroup,
    createAdminPolicy,
    { ...createVault, apply: () => deny('signing_policies', 'no more vaults') },
    generateKey,
    ...freezeOperations,
  ]);
}
