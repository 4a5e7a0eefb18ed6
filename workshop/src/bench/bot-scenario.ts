/**
 * What a bot waits for: an order that ccxt makes at a simulated venue of this machine, from the call to its answer, with a secret of its own
 * and through the vault. One order at a time, each cancelled before the next, which is not measured.
 */
import { generateKeyPairSync, type KeyObject } from 'node:crypto';
import { throughVault, type CcxtErrors } from '@countersign/ccxt/through-vault.js';
import { findLabVenue, openLabVenue, type LabVenue } from '../lab/catalogue/lab-venues.js';
import { serveVenue } from '../lab/http/serve-venue.js';
import type { StoredAccount } from '../lab/seed/desk-key.js';
import { accountOf, seedLab } from '../lab/seed/seed-lab.js';
import { rawPublicKey } from '@countersign/dev/stack/prepare-vault.js';
import { adminClient } from './bench-callers.js';
import type { OpenVault } from './bench-vault.js';
import { pinnedVault, recipientsOf } from './key-scenarios.js';
import type { Measured } from './measured.js';

/**
 * Those that hand their secrets out, so that ccxt can sign beside the vault with the same key; at Kraken and Deribit two of ccxt's own nonces
 * are one where they fall into the same millisecond.
 */
const VENUES = ['bybit', 'okx'];
const WARM_UP_ORDERS = 30;
const FAR_BELOW = 40_000;
/** As a variable, so that nobody compiles against it. */
const CCXT = 'ccxt';

interface Bot {
  loadMarkets(): Promise<unknown>;
  createOrder(
    symbol: string,
    type: 'limit',
    side: 'buy',
    amount: number,
    price: number,
  ): Promise<{ id: string }>;
  cancelOrder(id: string, symbol: string): Promise<unknown>;
  fetch(url: string, method?: string, headers?: object, body?: string): Promise<unknown>;
  close(): Promise<unknown>;
}

type BotClass = new (config: object) => Bot;
type Ccxt = CcxtErrors & Readonly<Record<string, BotClass>>;

export async function measureBots(open: OpenVault, seconds: number): Promise<Measured[]> {
  const { default: ccxt } = (await import(CCXT)) as { default: Ccxt };
  const client = adminClient(open.vault, open.stack);
  const { privateKey } = generateKeyPairSync('ed25519');
  const venues = VENUES.map(findLabVenue);
  try {
    await recipientsOf(client);
    const administrator = {
      client,
      userId: open.vault.admin.user_id,
      vault: await pinnedVault(open),
    };
    const botPublicKey = rawPublicKey(privateKey).toString('base64url');
    const seed = await seedLab(administrator, { botPublicKey, mark: ' bench', venues });
    const measured: Measured[] = [];
    for (const venue of venues) {
      const { keyId, account } = seed.desks[venue.id]!;
      const credential = { baseUrl: open.stack.baseUrl, apiKey: seed.botApiKey, privateKey };
      measured.push(
        ...(await measureVenue(ccxt, venue, account, { ...credential, keyId }, seconds)),
      );
    }
    return measured;
  } finally {
    client.close();
  }
}

interface Credential {
  readonly baseUrl: string;
  readonly apiKey: string;
  readonly privateKey: KeyObject;
  readonly keyId: string;
}

// oxlint-disable-next-line eslint/max-params -- what one venue's two bots are made of
async function measureVenue(
  ccxt: Ccxt,
  venue: LabVenue,
  account: StoredAccount,
  credential: Credential,
  seconds: number,
): Promise<Measured[]> {
  const served = await serveVenue(openLabVenue(venue, [accountOf(account)]));
  const Exchange = ccxt[venue.ccxt]!;
  const direct = directBot(Exchange, account, served.url);
  const vaulted = new (throughVault(Exchange as never, ccxt))({
    enableRateLimit: false,
    countersign: { ...credential, venueUrl: served.url },
  }) as unknown as Bot;
  try {
    return [
      { name: `bot at ${venue.id}, own secret`, figures: await orderTimes(direct, venue, seconds) },
      { name: `bot at ${venue.id}, vault`, figures: await orderTimes(vaulted, venue, seconds) },
    ];
  } finally {
    await Promise.all([direct.close(), vaulted.close()]);
    await served.close();
  }
}

/** ccxt as it is, but for the host. */
function directBot(Exchange: BotClass, account: StoredAccount, url: string): Bot {
  class DirectBot extends Exchange {
    override fetch(at: string, method?: string, headers?: object, body?: string) {
      return super.fetch(url + at.slice(new URL(at).origin.length), method, headers, body);
    }
  }
  const { apiKey, secret, passphrase: password } = account;
  return new DirectBot({ apiKey, secret, password, enableRateLimit: false });
}

async function orderTimes(
  bot: Bot,
  { symbol }: LabVenue,
  seconds: number,
): Promise<Record<string, number>> {
  await bot.loadMarkets();
  for (let order = 0; order < WARM_UP_ORDERS; order++) await timeOrder(bot, symbol);
  const times: number[] = [];
  const end = performance.now() + seconds * 1_000;
  while (performance.now() < end) times.push(await timeOrder(bot, symbol));
  const sorted = times.toSorted((one, other) => one - other);
  const at = (part: number) =>
    sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * part))]!;
  return { orders: sorted.length, p50_ms: at(0.5), p99_ms: at(0.99) };
}

async function timeOrder(bot: Bot, symbol: string): Promise<number> {
  const startedAt = performance.now();
  const { id } = await bot.createOrder(symbol, 'limit', 'buy', 0.001, FAR_BELOW);
  const took = performance.now() - startedAt;
  await bot.cancelOrder(id, symbol);
  return took;
}
