/** Every operation of the API, under its id. */
import { ADDRESS_LIST_OPERATIONS } from './address-lists.js';
import { ADMIN_POLICY_OPERATIONS } from './admin-policies.js';
import { ALARM_OPERATIONS } from './alarm-operations.js';
import { AUDIT_OPERATIONS } from './audit.js';
import { DOCUMENT_OPERATIONS } from './documents.js';
import { FREEZING_OPERATIONS } from './freezing.js';
import { KEY_OPERATIONS } from './keys.js';
import { PARTY_OPERATIONS } from './parties.js';
import { PASSKEY_OPERATIONS } from './passkeys.js';
import { REQUEST_OPERATIONS } from './requests.js';
import { SECURITY_GROUP_OPERATIONS } from './security-groups.js';
import { SERVICE_OPERATIONS } from './service.js';
import { SETTINGS_OPERATIONS } from './settings.js';
import { SIGNING_POLICY_OPERATIONS } from './signing-policies.js';
import { SIGNING_OPERATIONS } from './signing.js';
import { SYSTEM_OPERATIONS } from './system-operations.js';
import { USER_GROUP_OPERATIONS } from './user-groups.js';
import { USER_OPERATIONS } from './users.js';
import { VAULT_OPERATIONS } from './vaults.js';
import { WALLET_OPERATIONS } from './wallets.js';
import { WEBHOOK_OPERATIONS } from './webhooks.js';
import { operationsById } from '../operation.js';

export const API_OPERATIONS = operationsById([
  ...USER_OPERATIONS,
  ...PASSKEY_OPERATIONS,
  ...USER_GROUP_OPERATIONS,
  ...ADMIN_POLICY_OPERATIONS,
  ...VAULT_OPERATIONS,
  ...WALLET_OPERATIONS,
  ...KEY_OPERATIONS,
  ...SECURITY_GROUP_OPERATIONS,
  ...SIGNING_POLICY_OPERATIONS,
  ...ADDRESS_LIST_OPERATIONS,
  ...SIGNING_OPERATIONS,
  ...FREEZING_OPERATIONS,
  ...SETTINGS_OPERATIONS,
  ...PARTY_OPERATIONS,
  ...REQUEST_OPERATIONS,
  ...AUDIT_OPERATIONS,
  ...ALARM_OPERATIONS,
  ...WEBHOOK_OPERATIONS,
  ...SYSTEM_OPERATIONS,
  ...SERVICE_OPERATIONS,
  ...DOCUMENT_OPERATIONS,
]);

export type OperationId = keyof typeof API_OPERATIONS;

/** The groups of operations, in the order of their names. */
export const API_TAGS: Readonly<Record<string, string>> = {
  'address-lists': 'The address book: destinations with names, in lists that rules name.',
  'admin-policies': 'Who may administer what: one action, allowed or denied to users and groups.',
  alarms: 'What was found that no honest part of the vault does.',
  'audit-logs': 'What was done, and what was refused.',
  documents: 'The API, described by itself.',
  freezing: 'Stopping users, keys, venues, vaults, wallets or everything at once.',
  keys: 'Keys that no process ever holds whole, and imported secrets.',
  operations: 'How the vault works now: queues, parties, latency, refusals, alarms.',
  parties: 'The three signer parties: their keys, a lost one replaced, new shares for all keys.',
  passkeys: 'What people sign with.',
  requests: 'What became of a request.',
  'security-groups': 'Groups that join keys and wallets to signing policies.',
  service: 'Health, versions and the catalogue of networks and venues; no credential needed.',
  signing: 'Signatures: transactions, venue requests and raw bytes.',
  'signing-policies': 'Ordered rules that decide what a key or wallet may sign.',
  'system-settings': 'Settings of the whole deployment.',
  'user-groups': 'Names under which policies speak of several users.',
  users: 'Machine and human users, and their credentials.',
  vaults: 'Vaults: permanent containers of wallets.',
  wallets: 'Wallets: an address and the key behind it.',
  webhooks: 'Where events are sent, and what became of them.',
};
