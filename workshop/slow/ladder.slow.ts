/**
 * How long a ladder of orders takes a ccxt bot that places it with Promise.all at simulated venues: through a durable vault,
 * together and order by order, and with a secret of its own where the venue has secrets. In turns, `LADDERS` of each (60).
 * Prints the figures.
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
/** The vault has an Ed25519 key at the first, an HMAC secret at the second. */
const VENUES = ['binance', 'bybit'].map(findLabVenue);

let home: BenchHome | undefined;
const served: ServedVenue[] = [];

interface Bot {
  readonly name: string;
  readonly symbol: string;
  readonly exchange: TradingExchange;
}

let bots: readonly Bot[];

beforeAll(async () => {
  await loadCcxt(...VENUES.map(({ ccxt }) => ccxt));
  home = createBenchHome();
  const open = await home.open();
  const { privateKey, publicKey } = generateKeyPairSync('ed25519');
  const seed = await seedVenues(open, publicKey);
  const { baseUrl } = open.stack;
  const client = createCountersignClient({ baseUrl, apiKey: seed.botApiKey, privateKey });
  const all = await Promise.all(
    VENUES.map(async (venue) => {
      const desk = seed.desks[venue.id]!;
      const at = await serveVenue(openLabVenue(venue, [accountOf(desk.account)]));
      served.push(at);
      return openBots(venue, desk, at.url, client);
    }),
  );
  bots = all.flat();
  await Promise.all(bots.map(({ exchange }) => exchange.loadMarkets()));
}, 3 * MINUTES_MS);

afterAll(async () => {
  for (const { exchange } of bots ?? []) await exchange.close();
  for (const venue of served) await venue.close();
  await home?.stop();
  home?.remove();
}, MINUTES_MS);

function seedVenues(open: OpenVault, publicKey: KeyObject): Promise<LabSeed> {
  return withAdmin(open, async (client) => {
    for (;;) {
      const { recipients } = valueOf(await client.call('get-import-recipients'));
      if (recipients.length === 3) break;
      await pause(50);
    }
    const vault = parsePinnedVault(JSON.parse(readFileSync(open.vault.genesisFile, 'utf8')))!;
    const administrator = { client, userId: open.vault.admin.user_id, vault };
    const botPublicKey = publicKey.export({ format: 'jwk' }).x!;
    return seedLab(administrator, { botPublicKey, venues: VENUES });
  });
}

function openBots(
  { id, ccxt, symbol }: (typeof VENUES)[number],
  { keyId, account }: LabSeed['desks'][string],
  venueUrl: string,
  client: CountersignClient,
): Bot[] {
  const Exchange = throughVault(ccxtClass(ccxt), ccxtErrors());
  const through = (how: object) =>
    new Exchange({ enableRateLimit: false, countersign: { ...how, venueUrl } as never });
  const { apiKey, secret } = account;
  const opened: Readonly<Record<string, unknown>> = {
    together: through({ client, keyId }),
    'order by order': through({ signer: signerByOrder(client, keyId) }),
    ...(secret !== undefined && {
      'secret of its own': ownSecret(ccxt, { apiKey, secret }, venueUrl),
    }),
  };
  return Object.entries(opened).map(([how, exchange]) => ({
    name: `${id}, ${how}`,
    symbol,
    exchange: exchange as TradingExchange,
  }));
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
function ownSecret(
  ccxt: string,
  credential: { readonly apiKey: string; readonly secret: string },
  venueUrl: string,
): object {
  const Base = ccxtClass(ccxt) as unknown as new (config: object) => {
    fetch(url: string, ...given: unknown[]): Promise<unknown>;
  };
  class Own extends Base {
    override fetch(url: string, ...given: unknown[]): Promise<unknown> {
      return super.fetch(venueUrl + url.slice(new URL(url).origin.length), ...given);
    }
  }
  return new Own({ enableRateLimit: false, ...credential });
}

async function ladderMs({ exchange, symbol }: Bot): Promise<number> {
  const startedAt = performance.now();
  await Promise.all(
    Array.from({ length: ORDERS }, (_, step) =>
      exchange.createOrder(symbol, 'limit', 'buy', 0.001, 45_000 - step),
    ),
  );
  const tookMs = performance.now() - startedAt;
  await exchange.cancelAllOrders(symbol);
  return tookMs;
}

it(
  'a ladder is quicker together than order by order',
  async () => {
    const took: Record<string, number[]> = {};
    for (let round = 0; round < WARM_UP + LADDERS; round++) {
      for (const bot of bots) {
        const ms = await ladderMs(bot);
        if (round >= WARM_UP) (took[bot.name] ??= []).push(ms);
      }
    }
    const figures = Object.entries(took).map(([name, ms]) => [name, percentilesOf(ms)] as const);
    process.stderr.write(`${JSON.stringify(Object.fromEntries(figures), null, 2)}\n`);
    const p50 = new Map(figures.map(([name, { p50Ms }]) => [name, p50Ms]));
    for (const { id } of VENUES) {
      expect(p50.get(`${id}, together`)!).toBeLessThan(p50.get(`${id}, order by order`)!);
    }
  },
  30 * MINUTES_MS,
);
