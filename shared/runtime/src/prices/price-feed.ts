/** Keeps a board of prices up to date with what relays publish in Redis. */
import { setTimeout } from 'node:timers/promises';
import type { Prices } from '@countersign/vault/policy/usd-value.js';
import type { PriceSnapshot, UsedPrice } from '@countersign/core/price-snapshot.js';
import { createLatestRun } from '../ledger/latest-run.js';
import type { Logger } from '../process/logger.js';
import { createPriceBoard } from './price-board.js';
import type { PriceMemory } from './price-memory.js';
import type { PriceTrust } from './price-trust.js';
import { openTicks } from '../process/ticks.js';

/** The key under which a relay publishes its newest snapshot. */
export function priceKey(relay: string): string {
  return `countersign:prices:${relay}`;
}

export interface RelayFigures {
  /** Its name in `PRICES_FILE`. */
  readonly relay: string;
  readonly at: number | undefined;
}

export interface PriceFeed {
  /** The prices of this moment; they do not change. */
  current(): Prices;
  /** Whether each is in a snapshot that this process has seen; looks for news if need be. */
  confirm(used: readonly UsedPrice[]): Promise<boolean>;
  /** `none`: no relay is trusted here. */
  state(): 'ok' | 'unavailable' | 'none';
  /** When the newest known snapshot of each trusted relay was made, ms; undefined for none. */
  newest(): readonly RelayFigures[];
  stop(): void;
}

/** For a process that trusts no relay. */
export const NO_PRICE_FEED: PriceFeed = {
  current: () => ({ priceOf: () => ({ unpriced: 'no relay of prices is configured here' }) }),
  confirm: async () => false,
  state: () => 'none',
  newest: () => [],
  stop: () => undefined,
};

export interface PriceFeedDeps {
  /** Undefined: nothing has a price here, and Redis is not asked. */
  readonly trust: PriceTrust | undefined;
  /** The values of these keys in Redis; null for none. */
  readonly fetch: (keys: string[]) => Promise<readonly (Buffer | null)[]>;
  /** Present in a process that decides by prices. Absent: what was seen is forgotten when the process ends. */
  readonly memory?: PriceMemory;
  readonly logger: Logger;
  readonly now: () => number;
}

const LOOK_MS = 2_000;
/** How long a Redis that hangs can hold up a decision. */
const CONFIRM_WITHIN_MS = 500;
const LOOK_WITHIN_MS = 2_000;
const UNREF = { ref: false };

export function openPriceFeed({ trust, fetch, memory, logger, now }: PriceFeedDeps): PriceFeed {
  if (trust === undefined) return NO_PRICE_FEED;
  const { relays } = trust;
  const board = createPriceBoard(trust, memory?.newestOf);

  async function findNews(): Promise<PriceSnapshot[]> {
    const asked = fetch(relays.map(({ name }) => priceKey(name)));
    const values = await Promise.race([asked, setTimeout(LOOK_WITHIN_MS, [], UNREF)]);
    return relays.flatMap((relay, index) => {
      const value = values[index];
      return value == null ? [] : (board.findNews(relay, value, now()) ?? []);
    });
  }

  async function look(): Promise<void> {
    const news = await findNews().catch((error: unknown) => {
      logger.debug({ event: 'prices_not_read', reason: String(error) }, 'prices not read');
      return [];
    });
    if (news.length === 0) return;
    try {
      // keep it first: the next process must not go by anything older than what counted here
      await memory?.keep(news);
    } catch (error) {
      logger.error({ event: 'prices_not_kept', reason: String(error) }, 'new prices do not count');
      return;
    }
    for (const snapshot of news) board.take(snapshot);
  }

  // one look at a time; whoever asks gets one that began after that
  const looks = createLatestRun(look);
  const ticks = openTicks(LOOK_MS, () => void looks.run());
  void looks.run();
  return {
    current: () => board.at(now()),
    async confirm(used) {
      if (board.hasSeen(used, now())) return true;
      await Promise.race([looks.run(), setTimeout(CONFIRM_WITHIN_MS, undefined, UNREF)]);
      return board.hasSeen(used, now());
    },
    state: () => (board.isFresh(now()) ? 'ok' : 'unavailable'),
    newest: () => relays.map(({ name }) => ({ relay: name, at: board.newestOf(name) })),
    stop: ticks.stop,
  };
}
