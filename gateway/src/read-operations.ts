import { getAddressList, listAddressLists } from './read/read-address-lists.js';
import {
  getAdminPolicy,
  getAdminPolicyVersion,
  listAdminPolicies,
} from './read/read-admin-policies.js';
import { getRequest } from './read/get-request.js';
import { listFreezes } from './read/read-freezes.js';
import { getImportRecipients, getKey, listKeys } from './read/read-keys.js';
import { listAlarms } from './read/list-alarms.js';
import { listAuditChains, readAuditChain } from './audit/audit-chains.js';
import { listRequests } from './read/list-requests.js';
import { listAuditLogs } from './audit/list-audit-logs.js';
import type { ReadOperation } from './read/read-operation.js';
import { getParties } from './read/read-parties.js';
import { getSecurityGroup, listSecurityGroups } from './read/read-security-groups.js';
import {
  getSigningPolicy,
  getSigningPolicyVersion,
  listSigningPolicies,
} from './read/read-signing-policies.js';
import { getSystemSettings } from './read/read-system-settings.js';
import { getUserGroup, listUserGroups } from './read/read-user-groups.js';
import { getUser, listUsers, whoami } from './read/read-users.js';
import { getVault, listVaults } from './read/read-vaults.js';
import { getWebhook, listWebhooks } from './read/read-webhooks.js';
import { getSystemHistory, getSystemOperations } from './read/read-system-operations.js';
import { listDeliveries } from './read/webhook-deliveries.js';
import { getWallet, listWallets } from './read/read-wallets.js';

/** Every GET that answers from the vault's state or from its records. */
export const READ_OPERATIONS: readonly ReadOperation[] = [
  listUsers,
  getUser,
  whoami,
  listUserGroups,
  getUserGroup,
  listAdminPolicies,
  getAdminPolicy,
  getAdminPolicyVersion,
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
  getSigningPolicyVersion,
  listAddressLists,
  getAddressList,
  getSystemSettings,
  getParties,
  getSystemOperations,
  getSystemHistory,
  listRequests,
  listFreezes,
  getRequest,
  listAuditLogs,
  listAuditChains,
  readAuditChain,
  listAlarms,
  listWebhooks,
  getWebhook,
  listDeliveries,
];
