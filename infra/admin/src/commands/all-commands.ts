/** Every command of `countersign`. */
import { completionScript, SHELLS, type Shell } from '../tool/completion.js';
import { referencePage } from '../tool/reference-page.js';
import type { Command } from '../tool/command.js';
import type { TableOfCommands } from '../tool/program.js';
import { apiCommand } from './api-command.js';
import { AUDIT_COMMANDS } from './audit-commands.js';
import { BACKTEST_COMMAND } from './backtest.js';
import { IMPORT_KEY_COMMAND } from './keys-import.js';
import { CARE_COMMANDS, INSTALL_COMMANDS, VENUE_COMMANDS } from './local-commands.js';
import { LOGIN_COMMAND } from './login.js';
import { BACKUP_COMMANDS, PARTY_COMMANDS } from './party-commands.js';
import { APPLY_COMMAND } from './policy-apply.js';
import { RECEIPT_COMMANDS, REQUEST_COMMANDS } from './request-commands.js';
import { CHECK_KEY_COMMAND } from './venue-check-key.js';
import { VERIFY_RECEIPT_COMMAND } from './receipt-verify.js';

/** Whether an item of a batch was not signed. */
function hasUnsigned(answer: unknown): boolean {
  const { results = [] } = answer as { results?: readonly { readonly status: string }[] };
  return results.some(({ status }) => status !== 'signed');
}

const BATCH = { hasRefused: hasUnsigned };

const PEOPLE: readonly Command[] = [
  LOGIN_COMMAND,
  apiCommand('whoami', 'whoami', { examples: ['whoami'] }),
  apiCommand('users list', 'list-users', {
    columns: ['id', 'type', 'display_name', 'status', 'last_updated_at'],
    examples: ['users list --is-type machine'],
  }),
  apiCommand('users show', 'get-user', { examples: ['users show USER_ID'] }),
  apiCommand('users create', 'create-user', {
    examples: ['users create -f bot.yaml --secret-file bot.api-key'],
  }),
  apiCommand('users update', 'update-user', {
    examples: [
      'users update USER_ID --rotate-api-key --secret-file new.api-key',
      'users update USER_ID --allowed-addresses 203.0.113.0/24,2001:db8::/32',
      'users update USER_ID -f from-anywhere.yaml',
    ],
  }),
  apiCommand('users delete', 'delete-users', { examples: ['users delete USER_ID USER_ID'] }),
  apiCommand('groups list', 'list-user-groups', {
    columns: ['id', 'display_name', 'description'],
    examples: ['groups list'],
  }),
  apiCommand('groups show', 'get-user-group', { examples: ['groups show GROUP_ID'] }),
  apiCommand('groups create', 'create-user-group', {
    examples: ['groups create --display-name "desk a"'],
  }),
  apiCommand('groups update', 'update-user-group', {
    examples: ['groups update GROUP_ID --display-name "desk b"'],
  }),
  apiCommand('groups delete', 'delete-user-group', { examples: ['groups delete GROUP_ID'] }),
];

const KEYS: readonly Command[] = [
  apiCommand('keys list', 'list-keys', {
    columns: ['id', 'type', 'custody', 'display_name', 'venue_id', 'status'],
    examples: ['keys list --venue-ids binance,okx'],
  }),
  apiCommand('keys show', 'get-key', { examples: ['keys show KEY_ID'] }),
  apiCommand('keys create', 'generate-key', {
    examples: ['keys create --type ed25519 --display-name "binance main" --venue-id binance'],
  }),
  IMPORT_KEY_COMMAND,
  apiCommand('keys update', 'update-key', {
    examples: ['keys update KEY_ID --display-name "binance old"'],
  }),
  apiCommand('keys destroy', 'destroy-key', { examples: ['keys destroy KEY_ID'] }),
  apiCommand('vaults list', 'list-vaults', {
    columns: ['id', 'display_name', 'wallet_count', 'status'],
    examples: ['vaults list'],
  }),
  apiCommand('vaults show', 'get-vault', { examples: ['vaults show VAULT_ID'] }),
  apiCommand('vaults create', 'create-vault', {
    examples: ['vaults create --display-name "desk a"'],
  }),
  apiCommand('vaults update', 'update-vault', {
    examples: ['vaults update VAULT_ID --display-name "desk b"'],
  }),
  apiCommand('wallets list', 'list-wallets', {
    columns: ['id', 'address', 'network_family', 'display_name', 'status'],
    examples: ['wallets list VAULT_ID'],
  }),
  apiCommand('wallets show', 'get-wallet', { examples: ['wallets show VAULT_ID ADDRESS'] }),
  apiCommand('wallets create', 'create-wallet', {
    examples: ['wallets create VAULT_ID --network-family solana'],
  }),
  apiCommand('wallets update', 'update-wallet', {
    examples: ['wallets update VAULT_ID ADDRESS --display-name hot'],
  }),
  apiCommand('wallets delete', 'delete-wallets', {
    examples: ['wallets delete VAULT_ID ADDRESS'],
  }),
];

const SIGNING: readonly Command[] = [
  apiCommand('sign transaction', 'sign', {
    examples: [
      'sign transaction VAULT_ID ADDRESS --network-id solana-mainnet --transaction BASE64',
    ],
  }),
  apiCommand('sign transactions', 'sign-batch', {
    ...BATCH,
    examples: ['sign transactions VAULT_ID ADDRESS -f transactions.yaml --all-or-none'],
  }),
  apiCommand('sign message', 'raw-sign', {
    examples: ['sign message VAULT_ID ADDRESS --message aGVsbG8='],
  }),
  apiCommand('sign messages', 'raw-sign-batch', {
    ...BATCH,
    examples: ['sign messages VAULT_ID ADDRESS --messages aGVsbG8=,d29ybGQ='],
  }),
  apiCommand('sign venue-request', 'sign-with-key', {
    examples: ['sign venue-request KEY_ID -f order.yaml'],
  }),
  apiCommand('sign venue-requests', 'sign-batch-with-key', {
    ...BATCH,
    examples: ['sign venue-requests KEY_ID -f orders.yaml'],
  }),
  apiCommand('sign with-key', 'raw-sign-with-key', {
    examples: ['sign with-key KEY_ID --message hello --message-encoding utf8'],
  }),
];

const POLICIES: readonly Command[] = [
  apiCommand('policies list', 'list-signing-policies', {
    columns: ['id', 'security_group_id', 'position', 'display_name', 'version'],
    examples: ['policies list --security-group-id ID'],
  }),
  apiCommand('policies show', 'get-signing-policy', {
    examples: ['policies show POLICY_ID > trading.yaml'],
  }),
  APPLY_COMMAND,
  BACKTEST_COMMAND,
  apiCommand('policies evaluate', 'evaluate-signing-policies', {
    examples: ['policies evaluate -f question.yaml'],
  }),
  apiCommand('policies order', 'order-signing-policies', {
    examples: ['policies order GROUP_ID --signing-policy-ids ID,ID'],
  }),
  apiCommand('policies delete', 'delete-signing-policy', {
    examples: ['policies delete POLICY_ID'],
  }),
  apiCommand('security-groups list', 'list-security-groups', {
    columns: ['id', 'display_name', 'signing_policy_ids'],
    examples: ['security-groups list'],
  }),
  apiCommand('security-groups show', 'get-security-group', {
    examples: ['security-groups show GROUP_ID'],
  }),
  apiCommand('security-groups create', 'create-security-group', {
    examples: ['security-groups create -f group.yaml'],
  }),
  apiCommand('security-groups members', 'patch-security-group-members', {
    examples: ['security-groups members GROUP_ID -f members.yaml'],
  }),
  apiCommand('security-groups delete', 'delete-security-group', {
    examples: ['security-groups delete GROUP_ID'],
  }),
  apiCommand('admin-policies list', 'list-admin-policies', {
    columns: ['id', 'action', 'effect', 'display_name', 'version'],
    examples: ['admin-policies list'],
  }),
  apiCommand('admin-policies show', 'get-admin-policy', {
    examples: ['admin-policies show POLICY_ID > right.yaml'],
  }),
  apiCommand('admin-policies create', 'create-admin-policy', {
    examples: ['admin-policies create -f right.yaml'],
  }),
  apiCommand('admin-policies update', 'update-admin-policy', {
    examples: ['admin-policies update POLICY_ID -f right.yaml'],
  }),
  apiCommand('admin-policies delete', 'delete-admin-policy', {
    examples: ['admin-policies delete POLICY_ID'],
  }),
];

const FREEZING: readonly Command[] = [
  apiCommand('freezes list', 'list-freezes', {
    columns: ['scope', 'id', 'at', 'by', 'reason'],
    examples: ['freezes list'],
  }),
  ...(['freeze', 'unfreeze'] as const).flatMap((verb) => [
    apiCommand(`${verb} system`, `${verb}-system`, {
      examples: [`${verb} system --reason "strange orders"`],
    }),
    apiCommand(`${verb} users`, `${verb}-users`, { examples: [`${verb} users USER_ID USER_ID`] }),
    apiCommand(`${verb} keys`, `${verb}-keys`, {
      examples: [`${verb} keys --venue-id binance`, `${verb} keys --key-ids KEY_ID,KEY_ID`],
    }),
    apiCommand(`${verb} vaults`, `${verb}-vaults`, { examples: [`${verb} vaults VAULT_ID`] }),
    apiCommand(`${verb} wallets`, `${verb}-wallets`, {
      examples: [`${verb} wallets VAULT_ID ADDRESS`],
    }),
  ]),
];

const SYSTEM: readonly Command[] = [
  apiCommand('system info', 'get-info', { examples: ['system info'] }),
  apiCommand('system health', 'get-health', { examples: ['system health'] }),
  apiCommand('settings show', 'get-system-settings', { examples: ['settings show'] }),
  apiCommand('settings update', 'modify-system-settings', {
    examples: ['settings update -f settings.yaml'],
  }),
];

const THIS_COMMAND: readonly Command[] = [
  {
    words: 'completion',
    about: 'Print a script that completes commands in a shell.',
    arguments: [{ name: 'SHELL', about: 'Which shell.', words: SHELLS }],
    examples: [
      'completion bash > /etc/bash_completion.d/countersign',
      'completion fish > ~/.config/fish/completions/countersign.fish',
    ],
    run: async (given) => ({ text: completionScript(COMMANDS, given.one('SHELL') as Shell) }),
  },
  {
    words: 'reference',
    about: 'Print the reference page of this command, in Markdown.',
    examples: ['reference > docs/reference/commands.md'],
    run: async () => ({ text: referencePage(COMMANDS) }),
  },
];

export const COMMANDS: TableOfCommands = {
  topics: [
    { title: 'Callers', commands: PEOPLE },
    { title: 'Keys, vaults and wallets', commands: KEYS },
    { title: 'Signing', commands: SIGNING },
    {
      title: 'Requests and receipts',
      commands: [...REQUEST_COMMANDS, ...RECEIPT_COMMANDS, VERIFY_RECEIPT_COMMAND],
    },
    { title: 'Policies', commands: POLICIES },
    { title: 'Freezing', commands: FREEZING },
    { title: 'The audit log', commands: AUDIT_COMMANDS },
    { title: 'The deployment', commands: SYSTEM },
    { title: 'Installing', commands: INSTALL_COMMANDS },
    { title: 'Parties', commands: PARTY_COMMANDS },
    { title: 'Backups', commands: BACKUP_COMMANDS },
    {
      title: 'Looking after it',
      commands: [...CARE_COMMANDS, ...VENUE_COMMANDS, CHECK_KEY_COMMAND],
    },
    { title: 'This command', commands: THIS_COMMAND },
  ],
  nouns: {
    'admin-policies': 'Who may administer what.',
    audit: 'What was done, and what was refused.',
    backup: "A party's shares and keys, sealed to recovery keys.",
    'evidence-key': 'The key under which credentials lie in the ledger.',
    freeze: 'Stop users, keys, venues, vaults, wallets or everything at once.',
    freezes: 'What is frozen.',
    groups: 'Names under which policies speak of several users.',
    kek: "The key-encryption key above a party's keys.",
    keys: 'Keys that no process ever holds whole, and imported secrets.',
    parties: 'The three signer parties, as the vault sees them.',
    party: 'One party, on its own host.',
    policies: 'Ordered rules that decide what a key or wallet may sign.',
    'price-key': 'The key of a relay of prices.',
    receipt: 'Proof of what was signed, and by which rule.',
    requests: 'What became of a request, and what waits.',
    'security-groups': 'Groups that join keys and wallets to signing policies.',
    settings: 'Settings of the whole deployment.',
    sign: 'Signatures: transactions, venue requests and raw bytes, alone or up to 64 together.',
    system: 'The service: version, ledger, health.',
    unfreeze: 'Let what was frozen sign again.',
    upgrade: 'Bringing a vault to this release.',
    users: 'Machine and human users, and their credentials.',
    vaults: 'Permanent containers of wallets.',
    venue: 'Exchanges, as this release reads their requests.',
    wallets: 'An address and the key behind it.',
    'webhook-key': 'The key that events are signed with.',
  },
};
