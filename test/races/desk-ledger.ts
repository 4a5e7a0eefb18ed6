/** The ledger that every race begins with: a bot, a wallet and a key for a venue, both of which it may sign with. */
import {
  createLedgerBuilder,
  keyStory,
  type LedgerBuilder,
  type LedgerUser,
} from '../support/ledger-builder.ts';

export const SCOPES = ['key', 'user', 'venue', 'vault', 'wallet', 'system'] as const;
export type Scope = (typeof SCOPES)[number];

export interface SigningAsk {
  readonly target: string;
  readonly body: object;
}

export interface Desk {
  readonly ledger: LedgerBuilder;
  readonly bot: LedgerUser;
  /** How the administrator freezes each scope. */
  readonly freezes: Readonly<Record<Scope, string>>;
  /** What asks for a signature, for each scope that stops it. */
  readonly signs: Readonly<Record<Scope, readonly SigningAsk[]>>;
}

export function openDesk(): Desk {
  const ledger = createLedgerBuilder();
  const { admin } = ledger;
  const bot = ledger.addMachine('bot');
  const vault = ledger.must(admin, 'POST', '/v1/vaults', { display_name: 'Desk' });
  const walletKey = ledger.send(admin, 'POST', `/v1/vaults/${vault}/wallets`, {
    network_family: 'solana',
  });
  if (walletKey.refusal !== undefined) throw new Error(walletKey.refusal.message);
  const [wallet] = ledger.state.wallets.rows.values();
  complete(ledger, wallet!.keyId);
  const key = ledger.must(admin, 'POST', '/v1/keys', {
    type: 'ed25519',
    display_name: 'Key of the venue',
    venue_id: 'binance',
  });
  complete(ledger, key);
  allowRawSign(ledger, bot, [
    { member_id: wallet!.id, member_type: 'wallet' },
    { member_id: key, member_type: 'key' },
  ]);
  const address = ledger.state.wallets.rows.get(wallet!.id)!.address;
  const message = Buffer.from('hello').toString('base64');
  const byWallet = { target: `/v1/vaults/${vault}/wallets/${address}/raw-sign`, body: { message } };
  const byKey = {
    target: `/v1/keys/${key}/raw-sign`,
    body: { message, message_encoding: 'base64' },
  };
  return {
    ledger,
    bot,
    freezes: {
      key: `/v1/keys/freeze?key_ids=${key}`,
      user: `/v1/users/freeze?user_ids=${bot.id}`,
      venue: '/v1/keys/freeze?venue_id=binance',
      vault: `/v1/vaults/freeze?vault_ids=${vault}`,
      wallet: `/v1/vaults/${vault}/wallets/freeze?addresses=${address}`,
      system: '/v1/system/freeze',
    },
    signs: {
      key: [byKey],
      user: [byKey, byWallet],
      venue: [byKey],
      vault: [byWallet],
      wallet: [byWallet],
      system: [byKey, byWallet],
    },
  };
}

function complete(ledger: LedgerBuilder, keyId: string): void {
  for (const party of [1, 2, 3] as const) ledger.attest(party, keyId, keyStory(keyId));
}

function allowRawSign(ledger: LedgerBuilder, bot: LedgerUser, members: readonly object[]): void {
  const group = ledger.must(ledger.admin, 'POST', '/v1/security-groups', {
    display_name: 'What the bot signs with',
    members,
  });
  ledger.must(ledger.admin, 'POST', '/v1/signing-policies', {
    display_name: 'Rules',
    security_group_id: group,
    rules: [
      {
        display_name: 'Rule',
        when: { operations: ['raw_sign'], initiators: { user_ids: [bot.id] } },
        then: 'allow',
      },
    ],
  });
}
