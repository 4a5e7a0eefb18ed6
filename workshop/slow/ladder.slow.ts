/**
 * How long a ladder of orders takes a ccxt bot that places it with Promise.all at the simulated Binance: through a durable
 * vault, together and order by order, and with a secret of its own. In turns, `LADDERS` of each (60). Prints the figures.
 */
import { generateKeyPairSync, type KeyObject } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { setTimeout as pause } from 'node:timers/promises';
import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { throughVault, type VenueSigner } from '../../client/ccxt/dist/through-vault.js';
import { valueOf } from '../../client/dist/answers/call-result.js';
import { parsePinnedVault } from '../../client/dist/answers/pinned-vault.js';
import {
  createCountersignClient,
  type CountersignClient,
} from '../../client/dist/calls/countersign-client.js';
import { createBenchHome, type BenchHome, type OpenVault } from '../dist/bench/bench-vault.js';
import { percentilesOf } from '../dist/bench/percentiles.js';
import { withAdmin } from '../dist/bench/traffic.js';
import { findLabVenue, openLabVenue } from '../dist/lab/catalogue/lab-venues.js';
import { serveVenue, type ServedVenue } from '../dist/lab/http/serve-venue.js';
import { accountOf, seedLab, type LabSeed } from '../dist/lab/seed/seed-lab.js';
import { ccxtClass, ccxtErrors, loadCcxt } from '../../test/support/ccxt-signing.ts';
import type { TradingExchange } from '../../test/support/trading-session.ts';

const LADDERS = Number(process.env['LADDERS'] ?? 60);
const ORDERS = 20;
const WARM_UP = 10;
const MINUTES_MS = 60_000;
const LAB = findLabVenue('binance');

let home: BenchHome | undefined;
let venue: ServedVenue | undefined;
const exchanges: TradingExchange[] = [];
let bots: Readonly<Record<string, TradingExchange>>;

beforeAll(async () => {
  await loadCcxt(LAB.ccxt);
  home = createBenchHome();
  const open = await home.open();
  const { privateKey, publicKey } = generateKeyPairSync('ed25519');
  const seed = await seedVenue(open, publicKey);
  const account = accountOf(seed.desks[LAB.id]!.account);
  venue = await serveVenue(openLabVenue(LAB, [account]));
  bots = openBots(open, seed, privateKey);
  await Promise.all(Object.values(bots).map((bot) => bot.loadMarkets()));
}, 3 * MINUTES_MS);

afterAll(async () => {
  for (const exchange of exchanges) await exchange.close();
  await venue?.close();
  await home?.stop();
  home?.remove();
}, MINUTES_MS);

function seedVenue(open: OpenVault, publicKey: KeyObject): Promise<LabSeed> {
  return withAdmin(open, async (client) => {
    for (;;) {
      const { recipients } = valueOf(await client.call('get-import-recipients'));
      if (recipients.length === 3) break;
      await pause(50);
    }
    const vault = parsePinnedVault(JSON.parse(readFileSync(open.vault.genesisFile, 'utf8')))!;
    const administrator = { client, userId: open.vault.admin.user_id, vault };
    const botPublicKey = publicKey.export({ format: 'jwk' }).x!;
    return seedLab(administrator, { botPublicKey, venues: [LAB] });
  });
}

function openBots(open: OpenVault, seed: LabSeed, privateKey: KeyObject) {
  const { keyId, account } = seed.desks[LAB.id]!;
  const { baseUrl } = open.stack;
  const client = createCountersignClient({ baseUrl, apiKey: seed.botApiKey, privateKey });
  const keep = (exchange: unknown) => {
    exchanges.push(exchange as TradingExchange);
    return exchange as TradingExchange;
  };
  const Binance = throughVault(ccxtClass(LAB.ccxt), ccxtErrors());
  const venueUrl = venue!.url;
  const through = (countersign: object) =>
    keep(
      new Binance({ enableRateLimit: false, countersign: { ...countersign, venueUrl } as never }),
    );
  return {
    together: through({ client, keyId }),
    'order by order': through({ signer: signerByOrder(client, keyId) }),
    'secret of its own': keep(ownSecret(account, venueUrl)),
  };
}

/** As bots asked before: a request to the vault for each order. */
function signerByOrder(client: CountersignClient, keyId: string): VenueSigner {
  return {
    async sign({ method, path, query, body }, channel) {
      const venue_request = { channel, method, path, query, ...(body !== '' && { body }) };
      const asked = { params: { key_id: keyId }, body: { venue_request } };
      return valueOf(await client.call('sign-with-key', asked)).request;
    },
    close: () => client.close(),
  };
}

/** ccxt without a vault. */
function ownSecret({ apiKey, secret }: LabSeed['desks'][string]['account'], venueUrl: string) {
  const Base = ccxtClass(LAB.ccxt) as unknown as new (config: object) => {
    fetch(url: string, ...given: unknown[]): Promise<unknown>;
  };
  class Own extends Base {
    override fetch(url: string, ...given: unknown[]): Promise<unknown> {
      return super.fetch(venueUrl + url.slice(new URL(url).origin.length), ...given);
    }
  }
  return new Own({ enableRateLimit: false, apiKey, secret });
}

async function ladderMs(bot: TradingExchange): Promise<number> {
  const startedAt = performance.now();
  await Promise.all(
    Array.from({ length: ORDERS }, (_, step) =>
      bot.createOrder(LAB.symbol, 'limit', 'buy', 0.001, 45_000 - step),
    ),
  );
  const tookMs = performance.now() - startedAt;
  await bot.cancelAllOrders(LAB.symbol);
  return tookMs;
}

it(
  'a ladder is quicker together than order by order',
  async () => {
    const took: Record<string, number[]> = {};
    for (let round = 0; round < WARM_UP + LADDERS; round++) {
      for (const [name, bot] of Object.entries(bots)) {
        const ms = await ladderMs(bot);
        if (round >= WARM_UP) (took[name] ??= []).push(ms);
      }
    }
    const figures = Object.entries(took).map(([name, ms]) => [name, percentilesOf(ms)] as const);
    process.stderr.write(`${JSON.stringify(Object.fromEntries(figures), null, 2)}\n`);
    const p50 = new Map(figures.map(([name, { p50Ms }]) => [name, p50Ms]));
    expect(p50.get('together')!).toBeLessThan(p50.get('order by order')!);
  },
  30 * MINUTES_MS,
);
