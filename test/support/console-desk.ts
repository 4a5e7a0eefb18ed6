/** A small trading desk for pictures of the console: people and bots, keys and wallets, rules, and requests of each fate. */
import { solanaTransfer } from './solana-transfer.ts';
import { generateKey, type KeyView } from './standalone-keys.ts';
import { expectOk, type TestUser, type VaultInUse } from './test-vault.ts';

interface Made {
  readonly id: string;
}

interface MadeWallet extends Made {
  readonly address: string;
}

interface Signed {
  readonly receipt: { readonly request_id: string };
}

export interface ConsoleDesk {
  readonly bot: TestUser;
  readonly oldBot: TestUser;
  readonly key: KeyView;
  readonly vaultId: string;
  readonly wallet: MadeWallet;
  readonly policyName: string;
  readonly groupName: string;
  /** Asks the bot's key for an order of so many bitcoins; waits for nothing. */
  order(quantity: string): Promise<{ readonly status: number; readonly requestId: string }>;
  /** Asks for an order that is signed at once; the request's id. */
  signedOrder(quantity: string): Promise<string>;
  /** Asks for several in one request; its id. */
  ladder(quantities: readonly string[]): Promise<string>;
  /** Asks the wallet for a transfer of so many lamports to a stranger; its id. */
  transfer(lamports: bigint): Promise<string>;
}

const POLICY = 'Orders of the bots';
const GROUP = 'Trading at Binance';

/** `officerId`: who is asked to approve. */
export async function openConsoleDesk(vault: VaultInUse, officerId: string): Promise<ConsoleDesk> {
  const make = <Body = Made>(target: string, body: object) =>
    expectOk<Body>(vault.admin, 'POST', target, body);
  const bot = await vault.createMachine({ display_name: 'Market maker' });
  const oldBot = await vault.createMachine({ display_name: 'Arbitrage of last year' });
  await make('/v1/users', {
    type: 'human',
    display_name: 'Jonas Weber',
    email: 'jonas@example.com',
    cloud_provider: 'oidc',
  });
  const officers = await make('/v1/user-groups', {
    display_name: 'Risk officers',
    description: 'Approve large orders and every withdrawal',
  });
  await make('/v1/user-groups', { display_name: 'Night shift' });
  await expectOk(vault.admin, 'PUT', `/v1/users/${officerId}`, { user_group_ids: [officers.id] });
  const key = await generateKey(vault, {
    type: 'ed25519',
    display_name: 'Binance orders',
    venue_id: 'binance',
    venue_api_key: 'vmPUZE6mv9SD5VNHk4HlWFsOr6aKE2zvsw0MuIgwCIPy6utIco14y7Ju91duEh8A',
    labels: { desk: 'spot' },
  });
  await generateKey(vault, { type: 'ed25519', display_name: 'Attestations of reserves' });
  const { id: vaultId } = await make('/v1/vaults', { display_name: 'Client assets' });
  await make('/v1/vaults', { display_name: 'Settlement with brokers' });
  const wallets = `/v1/vaults/${vaultId}/wallets`;
  const wallet = await make<MadeWallet>(wallets, {
    network_family: 'solana',
    display_name: 'Operating funds',
  });
  await make(wallets, { network_family: 'near', display_name: 'Staking' });
  await writePolicies(vault, { botId: bot.id, officersId: officers.id, key, wallet });
  const ask = async (target: string, wanted: object) => {
    const { status, body } = await bot.client.send({ method: 'POST', target, body: wanted });
    return { status, requestId: (body as { request_id: string }).request_id };
  };
  return {
    ...{ bot, oldBot, key, vaultId, wallet, policyName: POLICY, groupName: GROUP },
    order: (quantity) => ask(`/v1/keys/${key.id}/sign`, { venue_request: orderOf(quantity) }),
    signedOrder: async (quantity) => {
      const body = { venue_request: orderOf(quantity) };
      const target = `/v1/keys/${key.id}/sign`;
      const { receipt } = await expectOk<Signed>(bot.client, 'POST', target, body);
      return receipt.request_id;
    },
    ladder: async (quantities) =>
      (await ask(`/v1/keys/${key.id}/sign-batch`, { venue_requests: quantities.map(orderOf) }))
        .requestId,
    transfer: async (lamports) =>
      (
        await ask(
          `${wallets}/${wallet.address}/sign`,
          solanaTransfer({ source: wallet.address, lamports }),
        )
      ).requestId,
  };
}

function orderOf(quantity: string) {
  const query = `symbol=BTCUSDT&side=BUY&type=LIMIT&timeInForce=GTC&quantity=${quantity}&price=61250.5`;
  return { channel: 'rest', method: 'POST', path: '/api/v3/order', query };
}

interface PolicyParts {
  readonly botId: string;
  readonly officersId: string;
  readonly key: KeyView;
  readonly wallet: MadeWallet;
}

async function writePolicies(
  { admin }: VaultInUse,
  { botId, officersId, key, wallet }: PolicyParts,
): Promise<void> {
  const initiators = { user_ids: [botId] };
  const group = (name: string, memberId: string, type: 'key' | 'wallet') =>
    expectOk<Made>(admin, 'POST', '/v1/security-groups', {
      display_name: name,
      members: [{ member_id: memberId, member_type: type }],
    });
  const trading = await group(GROUP, key.id, 'key');
  const rules = [
    { display_name: 'No withdrawals', when: { operation_classes: ['withdraw'] }, then: 'deny' },
    {
      display_name: 'Small orders',
      when: { initiators, symbols: ['BTCUSDT', 'ETHUSDT'], amount: { max: '0.5' } },
      then: 'allow',
    },
    {
      display_name: 'Large orders ask a risk officer',
      when: { initiators, symbols: ['BTCUSDT', 'ETHUSDT'], amount: { max: '5' } },
      then: { require_approvals: { quorum: 1, user_group_ids: [officersId] } },
    },
  ];
  const policy = (display_name: string, groupId: string, of: readonly object[]) =>
    expectOk<Made & { rules: readonly Made[] }>(admin, 'POST', '/v1/signing-policies', {
      display_name,
      security_group_id: groupId,
      rules: of,
    });
  // its second version has one rule more
  const first = await policy(POLICY, trading.id, rules.slice(0, 2));
  await expectOk(admin, 'PUT', `/v1/signing-policies/${first.id}`, {
    display_name: POLICY,
    version: 1,
    rules: rules.map((rule, place) => ({ ...rule, id: first.rules[place]?.id })),
  });
  await policy('Reading balances', trading.id, [
    { display_name: 'Reads', when: { initiators, operation_classes: ['read'] }, then: 'allow' },
  ]);
  const treasury = await group('Client assets in Solana', wallet.id, 'wallet');
  await policy('Messages of the bot', treasury.id, [
    {
      display_name: 'Transfers after an approval',
      when: { operations: ['sign'], networks: ['solana-mainnet'], initiators },
      then: { require_approvals: { quorum: 1, user_group_ids: [officersId] } },
    },
    {
      display_name: 'Messages after an approval',
      when: { operations: ['raw_sign'], initiators },
      then: { require_approvals: { quorum: 1, user_group_ids: [officersId] } },
    },
  ]);
}
