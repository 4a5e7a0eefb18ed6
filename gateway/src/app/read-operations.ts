import {
  getAdminPolicy,
  getAdminPolicyVersion,
  listAdminPolicies,
} from '../reads/read-admin-policies.js';
import { getRequest } from '../reads/get-request.js';
import { listFreezes } from '../reads/read-freezes.js';
import { getImportRecipients, getKey, listKeys } from '../reads/read-keys.js';
import { listAlarms } from '../alarms/list-alarms.js';
import { listAuditChains, readAuditChain } from '../audit/audit-chains.js';
import { listRequests } from '../reads/list-requests.js';
import { listAuditLogs } from '../audit/list-audit-logs.js';
import type { ReadOperation } from '../reads/read-operation.js';
import { getSecurityGroup, listSecurityGroups } from '../reads/read-security-groups.js';
import {
  getSigningPolicy,
  getSigningPolicyVersion,
  listSigningPolicies,
} from '../reads/read-signing-policies.js';
import { getSystemSettings } from '../reads/read-system-settings.js';
import { getUserGroup, listUserGroups } from '../reads/read-user-groups.js';
import { getUser, listUsers, whoami } from '../reads/read-users.js';
import { getVault, listVaults } from '../reads/read-vaults.js';
import { getWebhook, listWebhooks } from '../reads/read-webhooks.js';
import { getSystemOperations } from '../reads/read-system-operations.js';
import { listDeliveries } from '../webhooks/webhook-deliveries.js';
import { getWallet, listWallets } from '../reads/read-wallets.js';

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
  getSystemSettings,
  getSystemOperations,
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
