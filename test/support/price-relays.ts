/** Relays of prices in a test: what they sign, and whoever believes them. */
import { generateKeyPairSync, sign, type KeyObject } from 'node:crypto';
import {
  encodeSignedSnapshot,
  snapshotMessage,
  type PriceSnapshot,
} from '@countersign/core/price-snapshot.js';
import { createLogger } from '@countersign/runtime/process/logger.js';
import { openPriceFeed, priceKey, type PriceFeed } from '@countersign/runtime/prices/price-feed.js';
import type { PriceMemory } from '@countersign/runtime/prices/price-memory.js';
import type { PriceTrust, TrustedRelay } from '@countersign/runtime/prices/price-trust.js';

export interface TestRelay {
  readonly trusted: TrustedRelay;
  /** As the relay publishes it, or would in another name. */
  snapshot(at: number, prices: Readonly<Record<string, string>>, as?: string): Buffer;
}

export function createTestRelay(name: string): TestRelay {
  const { privateKey, publicKey } = generateKeyPairSync('ed25519');
  const raw = Buffer.from(publicKey.export({ format: 'jwk' }).x ?? '', 'base64url');
  return {
    trusted: { name, publicKey: raw },
    snapshot: (at, prices, as = name) =>
      signedBy(privateKey, {
        relay: as,
        at,
        sources: ['test'],
        prices: new Map(Object.entries(prices)),
      }),
  };
}

function signedBy(key: KeyObject, snapshot: PriceSnapshot): Buffer {
  const message = snapshotMessage(snapshot);
  return encodeSignedSnapshot(message, sign(null, message, key));
}

export function trustIn(
  relays: readonly TestRelay[],
  change: Partial<PriceTrust> = {},
): PriceTrust {
  const trusted = relays.map((relay) => relay.trusted);
  return { relays: trusted, needed: 1, maxAgeMs: 60_000, maxSpreadBps: 200, ...change };
}

/** What relays publish, as one process finds it: a Redis of its own. */
export interface TestFeed {
  readonly feed: PriceFeed;
  /** Publishes, and has the process look. */
  tell(relay: TestRelay, snapshot: Buffer): Promise<void>;
  /** Publishes for whoever looks by themselves. */
  put(relay: TestRelay, snapshot: Buffer): void;
}

const NEVER_SEEN = [{ asset: 'NONE', price: '1', at: 0, relay: 'none' }];

export function openTestFeed(trust: PriceTrust, now: () => number, memory?: PriceMemory): TestFeed {
  const redis = new Map<string, Buffer>();
  const feed = openPriceFeed({
    trust,
    fetch: async (keys) => keys.map((key) => redis.get(key) ?? null),
    ...(memory !== undefined && { memory }),
    logger: createLogger('test', 'silent'),
    now,
  });
  const put = (relay: TestRelay, snapshot: Buffer) =>
    void redis.set(priceKey(relay.trusted.name), snapshot);
  return {
    feed,
    put,
    async tell(relay, snapshot) {
      put(relay, snapshot);
      await feed.confirm(NEVER_SEEN);
    },
  };
}
