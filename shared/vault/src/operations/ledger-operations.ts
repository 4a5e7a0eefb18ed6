import * as addressLists from './address-lists.js';
import * as adminPolicies from './admin-policies.js';
import { freezeOperations } from './freeze.js';
import * as decideRequests from './decide-requests.js';
import * as passkeys from './passkeys.js';
import { importKey } from './import-key.js';
import * as keys from './keys.js';
import type { LedgerOperation } from './ledger-operation.js';
import { findOperation, type MatchedOperation } from './find-operation.js';
import * as parties from './parties.js';
import * as securityGroups from './security-groups.js';
import * as signingPolicies from './signing-policies.js';
import { modifySystemSettings } from './system-settings.js';
import * as users from './users.js';
import * as userGroups from './user-groups.js';
import * as vaults from './vaults.js';
import * as webhooks from './webhooks.js';
import * as wallets from './wallets.js';

/** Every way to change the vault's governance. */
export const LEDGER_OPERATIONS: readonly LedgerOperation[] = [
  users.createUser,
  users.updateUser,
  users.deleteUsers,
  passkeys.registerPasskey,
  passkeys.deletePasskey,
  userGroups.createUserGroup,
  userGroups.updateUserGroup,
  userGroups.deleteUserGroup,
  adminPolicies.createAdminPolicy,
  adminPolicies.updateAdminPolicy,
  adminPolicies.deleteAdminPolicy,
  vaults.createVault,
  vaults.updateVault,
  wallets.createWallet,
  wallets.bulkCreateWallets,
  wallets.updateWallet,
  wallets.deleteWallets,
  keys.generateKey,
  keys.bulkGenerateKeys,
  importKey,
  keys.updateKey,
  keys.destroyKey,
  securityGroups.createSecurityGroup,
  securityGroups.updateSecurityGroup,
  securityGroups.deleteSecurityGroup,
  securityGroups.putSecurityGroupMember,
  securityGroups.patchSecurityGroupMembers,
  securityGroups.deleteSecurityGroupMembers,
  signingPolicies.createSigningPolicy,
  signingPolicies.updateSigningPolicy,
  signingPolicies.deleteSigningPolicy,
  signingPolicies.orderSigningPolicies,
  addressLists.createAddressList,
  addressLists.updateAddressList,
  addressLists.deleteAddressList,
  modifySystemSettings,
  parties.replaceParty,
  parties.refreshShares,
  webhooks.createWebhook,
  webhooks.updateWebhook,
  webhooks.deleteWebhook,
  ...freezeOperations,
  decideRequests.approveRequest,
  decideRequests.rejectRequest,
  decideRequests.cancelRequest,
];

/**
 * The operation with this method whose template fits the path; undefined for none. Reads and signatures are not among
 * them.
 */
export function findLedgerOperation(method: string, path: string): MatchedOperation | undefined {
  return findOperation(LEDGER_OPERATIONS, method, path);
}
