/** Takes prices from their sources, signs what they agree on, and publishes it. */
import { createPrivateKey, sign, type KeyObject } from 'node:crypto';
import { encodeSignedSnapshot, snapshotMessage } from '@countersign/core/price-snapshot.js';
import { readSecretFile } from '@countersign/runtime/process/config.js';
import type { Logger } from '@countersign/runtime/process/logger.js';
import { agreedPrices, type SaidPrices } from './agreed-prices.js';
import type { PriceSource, RelaySources } from './relay-sources.js';

export interface PriceRelayDeps {
  readonly sources: RelaySources;
  readonly privateKey: KeyObject;
  /** Rejects when the source cannot be asked. */
  readonly read: (source: PriceSource, now: number) => Promise<SaidPrices>;
  readonly publish: (snapshot: Buffer) => Promise<unknown>;
  readonly logger: Logger;
  readonly now: () => number;
}

export interface PriceRelay {
  /** Asks all sources, and publishes what they agree on. Rejects when nothing could be published. */
  relay(): Promise<void>;
  /** Of the last snapshot that was published; undefined before the first. */
  readonly published: Published | undefined;
}

export interface Published {
  /** ms */
  readonly at: number;
  /** Sources that answered, and those that did not. */
  readonly answered: number;
  readonly failed: number;
  /** Prices in it, and those that sources did not agree on. */
  readonly prices: number;
  readonly leftOut: number;
}

/** `keyFile`: an Ed25519 private key, PKCS #8 in PEM. Throws when it is none. */
export function readPriceKey(keyFile: string): KeyObject {
  const privateKey = createPrivateKey(readSecretFile(keyFile));
  if (privateKey.asymmetricKeyType !== 'ed25519') throw new Error(`${keyFile}: no Ed25519 key`);
  return privateKey;
}

export function createPriceRelay(deps: PriceRelayDeps): PriceRelay {
  const { sources: settings, privateKey, publish, logger, now } = deps;
  const { relay: name, sources, sources_needed: needed, max_spread_bps: maxSpreadBps } = settings;
  let last = 0;
  let published: Published | undefined;
  return {
    get published() {
      return published;
    },
    async relay() {
      const taken = await Promise.all(sources.map((source) => readOrLog(deps, source)));
      const { prices, left } = agreedPrices(
        taken.flatMap((one) => one ?? []),
        { needed, maxSpreadBps },
      );
      if (left.length > 0)
        logger.warn({ event: 'prices_left_out', left }, 'the relay published without some prices');
      // readers take nothing that is not newer than what they have
      last = Math.max(now(), last + 1);
      const answered = sources.filter((_, index) => taken[index] !== undefined);
      const snapshot = { relay: name, at: last, sources: answered.map((one) => one.name), prices };
      const message = snapshotMessage(snapshot);
      await publish(encodeSignedSnapshot(message, sign(null, message, privateKey)));
      published = {
        at: last,
        answered: answered.length,
        failed: sources.length - answered.length,
        prices: prices.size,
        leftOut: left.length,
      };
    },
  };
}

async function readOrLog(
  { read, now, logger }: PriceRelayDeps,
  source: PriceSource,
): Promise<SaidPrices | undefined> {
  try {
    return await read(source, now());
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    logger.warn(
      { event: 'source_failed', source: source.name, reason },
      'a source of prices failed',
    );
    return undefined;
  }
}
