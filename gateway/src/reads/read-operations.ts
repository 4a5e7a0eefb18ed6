import { getAdminPolicy, listAdminPolicies } from './admin-policies.js';
import { getRequest } from './get-request.js';
import { getImportRecipients, getKey, listKeys } from './keys.js';
import { listAuditLogs } from './list-audit-logs.js';
import type { ReadOperation } from './read-operation.js';
import { getSecurityGroup, listSecurityGroups } from './security-groups.js';
import { getSigningPolicy, listSigningPolicies } from './signing-policies.js';
import { getSystemSettings } from './system-settings.js';
import { getUserGroup, listUserGroups } from './user-groups.js';
import { getUser, listUsers, whoami } from './users.js';
import { getVault, listVaults } from './vaults.js';
import { getWallet, listWallets } from './wallets.js';

/** Every GET that answers from the vault's state or from its records. */
export const READ_OPERATIONS: readonly ReadOperation[] = [
  listUsers,
  getUser,
  whoami,
  listUserGroups,
  getUserGroup,
  listAdminPolicies,
  getAdminPolicy,
  listVaults,
  getVault,
  listWallets,
  getWallet,
  listKeys,
  getImportRecipients,
  getKey,
  listSecurityGroups,
  getSecurityGroup,
  listSigningPolicies,
  getSigningPolicy,
  getSystemSettings,
  getRequest,
  listAuditLogs,
];
