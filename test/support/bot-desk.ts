/** The lab's venues beside the vault that test files share, and a bot with a key at each. */
import { createPrivateKey, randomUUID } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { throughVault } from '../../client/ccxt/dist/through-vault.js';
import { parsePinnedVault } from '../../client/dist/answers/pinned-vault.js';
import { createCountersignClient } from '../../client/dist/calls/countersign-client.js';
import {
  LAB_VENUES,
  findLabVenue,
  openLabVenue,
} from '../../workshop/dist/lab/catalogue/lab-venues.js';
import { readGenesisPin } from '../../infra/admin/dist/genesis/read-genesis.js';
import type { PriceFeed } from '../../workshop/dist/lab/exchange/markets.js';
import { serveVenue, type ServedVenue } from '../../workshop/dist/lab/http/serve-venue.js';
import { accountOf, seedLab, type LabSeed } from '../../workshop/dist/lab/seed/seed-lab.js';
import type { SimulatedVenue } from '../../workshop/dist/lab/venues/simulated-venue.js';
import { allPages } from './api.ts';
import { ccxtClass, ccxtErrors, loadCcxt } from './ccxt-signing.ts';
import { importRecipients } from './desk-import.ts';
import { newMachineKey, openSharedVault, type VaultInUse } from './test-vault.ts';
import type { TradingExchange } from './trading-session.ts';

type BotKey = ReturnType<typeof newMachineKey>;

interface OtherWay {
  readonly privateKey?: BotKey['privateKey'];
  readonly baseUrl?: string;
}

export interface BotDesk {
  readonly vault: VaultInUse;
  readonly seed: LabSeed;
  readonly bot: BotKey;
  venue(venueId: string): SimulatedVenue;
  urlOf(venueId: string): string;
  /** ccxt's exchange through the vault; by another key than the bot's, or another address of the vault, if given. */
  open(venueId: string, options?: object, other?: OtherWay): TradingExchange;
  /** The same, with ccxt's WebSockets: `loadSockets` first. */
  openSockets(venueId: string): WatchingExchange;
  close(): Promise<void>;
}

/** The part of ccxt's exchanges with WebSockets that is used here. */
export interface WatchingExchange extends TradingExchange {
  watchBalance(): Promise<Record<string, { total?: number | Record<string, number> }>>;
  watchOrders(symbol: string): Promise<{ id: string }[]>;
}

/** Of these venues' exchanges. */
export function loadSockets(...venueIds: readonly string[]): Promise<void> {
  return loadCcxt(...venueIds.map((venueId) => `pro/${findLabVenue(venueId).ccxt}`));
}

export async function openBotDesk(prices?: PriceFeed): Promise<BotDesk> {
  const loaded = loadCcxt(...LAB_VENUES.map(({ ccxt }) => ccxt));
  const vault = await openSharedVault();
  const bot = newMachineKey();
  const seed = await seedBot(vault, bot);
  const served = new Map<string, { served: ServedVenue; venue: SimulatedVenue }>();
  for (const lab of LAB_VENUES) {
    const account = accountOf(seed.desks[lab.id]!.account);
    const venue = openLabVenue(lab, [account], { ...(prices !== undefined && { prices }) });
    served.set(lab.id, { venue, served: await serveVenue(venue) });
  }
  await loaded;
  const exchanges: TradingExchange[] = [];
  const urlOf = (venueId: string) => served.get(venueId)!.served.url;
  const openAs = (name: string, venueId: string, options: object, other: OtherWay = {}) => {
    const Exchange = throughVault(ccxtClass(name), ccxtErrors());
    const exchange = new Exchange({
      enableRateLimit: false,
      options,
      countersign: {
        baseUrl: vault.baseUrl,
        apiKey: seed.botApiKey,
        privateKey: bot.privateKey,
        ...other,
        keyId: seed.desks[venueId]!.keyId,
        venueUrl: urlOf(venueId),
      },
    }) as unknown as WatchingExchange;
    exchanges.push(exchange);
    return exchange;
  };
  return {
    vault,
    seed,
    bot,
    venue: (venueId) => served.get(venueId)!.venue,
    urlOf,
    open: (venueId, options = {}, other) =>
      openAs(findLabVenue(venueId).ccxt, venueId, options, other),
    openSockets: (venueId) => openAs(`pro/${findLabVenue(venueId).ccxt}`, venueId, {}),
    async close() {
      for (const one of served.values()) await one.served.close();
      for (const exchange of exchanges) await exchange.close();
      await vault.close();
    },
  };
}

interface Group {
  readonly id: string;
  readonly members: readonly { readonly member_id: string }[];
}

/** The security group of the bot's key at a venue. */
export async function deskGroup({ vault, seed }: BotDesk, venueId: string): Promise<string> {
  const { keyId } = seed.desks[venueId]!;
  const groups = await allPages<Group>(vault.admin, '/v1/security-groups?limit=100');
  return groups.find(({ members }) => members.some(({ member_id: id }) => id === keyId))!.id;
}

async function seedBot(vault: VaultInUse, bot: BotKey): Promise<LabSeed> {
  await importRecipients(vault);
  const { admin } = vault.prepared;
  const client = createCountersignClient({
    baseUrl: vault.baseUrl,
    apiKey: admin.api_key,
    privateKey: createPrivateKey(readFileSync(admin.private_key_file)),
  });
  const pinned = parsePinnedVault(await readGenesisPin(vault.servers.ownerUrl))!;
  const administrator = { client, userId: admin.user_id, vault: pinned };
  try {
    const mark = ` ${randomUUID()}`;
    return await seedLab(administrator, { botPublicKey: bot.publicKey, mark });
  } finally {
    client.close();
  }
}

export interface GridReport {
  readonly rounds: number;
  readonly placed: number;
  readonly cancelled: number;
  readonly failed: readonly string[];
}

interface GridBot {
  runGrid(
    exchange: TradingExchange,
    options: {
      symbol: string;
      size: number;
      durationMs: number;
      pauseMs?: number;
      isStopped?: () => boolean;
      report?: GridReport;
    },
  ): Promise<GridReport>;
}

const GRID_BOT = '../../client/ccxt/examples/grid-bot.mjs';

/** The bot of the examples. */
export async function loadGridBot(): Promise<GridBot> {
  return (await import(GRID_BOT)) as GridBot;
}
