import { createAddressList, deleteAddressList, updateAddressList } from './address-lists.js';
import { createAdminPolicy, deleteAdminPolicy, updateAdminPolicy } from './admin-policies.js';
import { freezeOperations } from './freeze.js';
import { approveRequest, cancelRequest, rejectRequest } from './decide-requests.js';
import { deletePasskey, registerPasskey } from './passkeys.js';
import { importKey } from './import-key.js';
import { bulkGenerateKeys, destroyKey, generateKey, updateKey } from './keys.js';
import type { LedgerOperation } from './ledger-operation.js';
import { findOperation, type MatchedOperation } from './find-operation.js';
import { refreshShares, replaceParty } from './parties.js';
import {
  createSecurityGroup,
  deleteSecurityGroup,
  deleteSecurityGroupMembers,
  patchSecurityGroupMembers,
  putSecurityGroupMember,
  updateSecurityGroup,
} from './security-groups.js';
import {
  createSigningPolicy,
  deleteSigningPolicy,
  orderSigningPolicies,
  updateSigningPolicy,
} from './signing-policies.js';
import { modifySystemSettings } from './system-settings.js';
import { createUser, deleteUsers, updateUser } from './users.js';
import { createUserGroup, deleteUserGroup, updateUserGroup } from './user-groups.js';
import { createVault, updateVault } from './vaults.js';
import { createWebhook, deleteWebhook, updateWebhook } from './webhooks.js';
import { bulkCreateWallets, createWallet, deleteWallets, updateWallet } from './wallets.js';

/** Every way to change the vault's governance. */
export const LEDGER_OPERATIONS: readonly LedgerOperation[] = [
  createUser,
  updateUser,
  deleteUsers,
  registerPasskey,
  deletePasskey,
  createUserGroup,
  updateUserGroup,
  deleteUserGroup,
  createAdminPolicy,
  updateAdminPolicy,
  deleteAdminPolicy,
  createVault,
  updateVault,
  createWallet,
  bulkCreateWallets,
  updateWallet,
  deleteWallets,
  generateKey,
  bulkGenerateKeys,
  importKey,
  updateKey,
  destroyKey,
  createSecurityGroup,
  updateSecurityGroup,
  deleteSecurityGroup,
  putSecurityGroupMember,
  patchSecurityGroupMembers,
  deleteSecurityGroupMembers,
  createSigningPolicy,
  updateSigningPolicy,
  deleteSigningPolicy,
  orderSigningPolicies,
  createAddressList,
  updateAddressList,
  deleteAddressList,
  modifySystemSettings,
  replaceParty,
  refreshShares,
  createWebhook,
  updateWebhook,
  deleteWebhook,
  ...freezeOperations,
  approveRequest,
  rejectRequest,
  cancelRequest,
];

/**
 * The operation with this method whose template fits the path; undefined for none. Reads and signatures are not among
 * them.
 */
export function findLedgerOperation(method: string, path: string): MatchedOperation | undefined {
  return findOperation(LEDGER_OPERATIONS, method, path);
}
