/** Well-formed input of every operation of the API: what is refused is not refused for its form. */
import { randomUUID } from 'node:crypto';
import { LEDGER_OPERATIONS } from '@countersign/vault/operations/ledger-operations.js';
import type { RequestTarget } from '@countersign/api/requests/api-request.js';
import { registerPasskeyOperation } from '@countersign/api/operations/passkeys.js';
import { SIGNING_OPERATIONS } from '@countersign/vault/operations/signing-operations.js';
import { createBacktestRoute } from '../../gateway/dist/read/backtest-route.js';
import { evaluateRoute } from '../../gateway/dist/read/evaluate-route.js';
import { resendEvents } from '../../gateway/dist/read/webhook-deliveries.js';
import { READ_OPERATIONS } from '../../gateway/dist/read-operations.js';
import { rawPublicKey, testPrivateKey } from './ledger-builder.ts';

/** An id that names nothing. It has letters. */
export const UNKNOWN_ID = '01234567-89ab-4cde-8f01-abcdefabcdef';

const MESSAGE = Buffer.from('a message').toString('base64');

const name = (what: string) => `${what} ${randomUUID()}`;

/** As somebody registers who is enrolled already. */
const { enrollment: _, ...newPasskey } = registerPasskeyOperation.example.body!;

interface OperationInput {
  readonly query?: string;
  readonly body?: unknown;
}

/** By the operation's id; those that are missing need neither query nor body. */
const INPUT: Readonly<Record<string, OperationInput>> = {
  'create-user': {
    body: {
      type: 'machine',
      display_name: name('bot'),
      public_key: rawPublicKey(testPrivateKey('of a bot')).toString('base64url'),
    },
  },
  'replace-party': {
    body: { identity_public_key: `${'A'.repeat(43)}=`, exchange_public_key: `${'B'.repeat(42)}A=` },
  },
  'refresh-shares': { body: { dealers: [1, 2] } },
  'update-user': { body: { display_name: 'x' } },
  'delete-users': { query: `user_ids=${UNKNOWN_ID}` },
  'create-user-group': { body: { display_name: name('group') } },
  'update-user-group': { body: { display_name: 'x' } },
  'create-admin-policy': {
    body: {
      display_name: 'x',
      action: 'freeze',
      effect: 'deny',
      subjects: { user_ids: [UNKNOWN_ID] },
    },
  },
  'update-admin-policy': {
    body: {
      display_name: 'x',
      action: 'freeze',
      effect: 'deny',
      subjects: { user_ids: [UNKNOWN_ID] },
      version: 1,
    },
  },
  'create-vault': { body: { display_name: name('vault') } },
  'update-vault': { body: { display_name: 'x' } },
  'create-wallet': { body: { network_family: 'solana' } },
  'update-wallet': { body: { display_name: 'x' } },
  'bulk-create-wallets': { body: { wallets: [{ network_family: 'solana' }] } },
  'bulk-generate-keys': { body: { keys: [{ type: 'ed25519', display_name: 'x' }] } },
  'delete-wallets': { query: 'addresses=abc' },
  'generate-key': { body: { type: 'ed25519', display_name: 'x' } },
  'import-key': {
    body: {
      type: 'hmac',
      display_name: 'x',
      encoding: 'utf8',
      shares: [1, 2, 3].map((party) => ({
        party,
        recipient_id: UNKNOWN_ID,
        sealed: Buffer.alloc(64).toString('base64'),
      })),
    },
  },
  'update-key': { body: { display_name: 'x' } },
  'create-security-group': { body: { display_name: name('security') } },
  'update-security-group': { body: { display_name: 'x' } },
  'patch-security-group-members': { body: { remove: [UNKNOWN_ID] } },
  'delete-security-group-members': { query: `member_ids=${UNKNOWN_ID}` },
  'create-signing-policy': {
    body: {
      display_name: 'x',
      security_group_id: UNKNOWN_ID,
      rules: [{ display_name: 'x', when: {}, then: 'deny' }],
    },
  },
  'update-signing-policy': {
    body: {
      display_name: 'x',
      rules: [{ display_name: 'x', when: {}, then: 'deny' }],
      version: 1,
    },
  },
  'order-signing-policies': { body: { signing_policy_ids: [] } },
  'modify-system-settings': { body: { version: 1_000 } },
  'freeze-users': { query: `user_ids=${UNKNOWN_ID}` },
  'unfreeze-users': { query: `user_ids=${UNKNOWN_ID}` },
  'freeze-keys': { query: `key_ids=${UNKNOWN_ID}` },
  'unfreeze-keys': { query: `key_ids=${UNKNOWN_ID}` },
  'freeze-vaults': { query: `vault_ids=${UNKNOWN_ID}` },
  'unfreeze-vaults': { query: `vault_ids=${UNKNOWN_ID}` },
  'freeze-wallets': { query: 'addresses=abc' },
  'unfreeze-wallets': { query: 'addresses=abc' },
  'register-passkey': { body: newPasskey },
  'create-address-list': {
    body: { display_name: 'x', entries: [{ address: 'an-address', display_name: 'x' }] },
  },
  'update-address-list': { body: { version: 1, display_name: 'x' } },
  'create-webhook': {
    body: { display_name: 'x', url: 'https://hooks.example.com/', events: ['freeze.changed'] },
  },
  'update-webhook': { body: { version: 1, enabled: false } },
  'resend-webhook-events': { body: { event_id: UNKNOWN_ID } },
  'approve-request': { body: { digest: '0'.repeat(64) } },
  sign: { body: { network_id: 'solana-mainnet', transaction: MESSAGE } },
  'raw-sign': { body: { message: MESSAGE } },
  'raw-sign-with-key': { body: { message: MESSAGE, message_encoding: 'base64' } },
  'sign-with-key': { body: { venue_request: { method: 'GET', path: '/', channel: 'rest' } } },
  'backtest-signing-policies': {
    body: {
      security_group_id: UNKNOWN_ID,
      rules: [{ display_name: 'x', when: {}, then: 'deny' }],
      from: '2026-11-01T00:00:00Z',
      to: '2026-11-02T00:00:00Z',
    },
  },
  'evaluate-signing-policies': { body: { operation: 'sign', key_id: UNKNOWN_ID } },
};

type Operation = RequestTarget & { readonly id: string };

const EXPORT = {
  id: 'export-audit-logs',
  action: 'view_audit_logs',
  method: 'GET',
  path: '/v1/audit-logs/export',
} as const;

const STREAM = {
  id: 'stream-system-operations',
  action: 'view_system_resources',
  method: 'GET',
  path: '/v1/system/operations/stream',
} as const;

const QUEUES = {
  id: 'open-queue-session',
  action: 'view_system_resources',
  method: 'GET',
  path: '/v1/system/queues/session',
} as const;

/** Each with the administrative action that it needs. */
export const ADMIN_OPERATIONS = [
  ...LEDGER_OPERATIONS,
  ...READ_OPERATIONS,
  evaluateRoute,
  createBacktestRoute(),
  resendEvents,
  EXPORT,
  STREAM,
  QUEUES,
];

export const EVERY_OPERATION: readonly Operation[] = [...SIGNING_OPERATIONS, ...ADMIN_OPERATIONS];

/** One request of an operation. */
export interface Act {
  readonly id: string;
  readonly method: string;
  readonly target: string;
  readonly body?: unknown;
}

/** Path parameters that are not given name nothing. */
export function actOf(
  { id, method, path }: Operation,
  params: Readonly<Record<string, string>> = {},
): Act {
  const { query, body } = INPUT[id] ?? {};
  const target = path.replaceAll(
    /\{(\w+)\}/g,
    (_part, param: string) => params[param] ?? UNKNOWN_ID,
  );
  return { id, method, target: query === undefined ? target : `${target}?${query}`, body };
}
