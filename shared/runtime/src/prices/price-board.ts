/**
 * The prices that a process believes: the newest snapshot of each relay that it trusts. It checks them here, whoever
 * brought them.
 *
 * Threats: whoever brings snapshots (Redis) can hold them back, which makes them old, and old ones are no prices. They
 * can also bring earlier ones again: those are left out once this process, or one before it, saw a newer one. A relay
 * may lie, but it is one of several. The price is the median of theirs, the upper of two, so none of them alone can
 * make a request look cheaper than some other relay says. If they lie too far apart there is no price.
 */
import { verifyEd25519 } from '@countersign/core/ed25519.js';
import { medianPrice } from '@countersign/core/median-price.js';
import {
  decodeSignedSnapshot,
  type PriceSnapshot,
  type SignedSnapshot,
  type UsedPrice,
} from '@countersign/core/price-snapshot.js';
import type { Prices, Unpriced } from '@countersign/vault/policy/usd-value.js';
import type { PriceTrust, TrustedRelay } from './price-trust.js';

/** How far a relay's clock may be ahead, ms. */
const CLOCK_AHEAD_MS = 5_000;
/** How many of each relay are kept, to check what another party decided by. */
const KEPT_SNAPSHOTS = 256;

export interface PriceBoard {
  /**
   * The snapshot in `published`, if the relay signed it and it is newer than what is known; undefined otherwise.
   * `now`: ms.
   */
  findNews(relay: TrustedRelay, published: Uint8Array, now: number): PriceSnapshot | undefined;
  /** Makes it the relay's current snapshot. */
  take(news: PriceSnapshot): void;
  /** The prices of this moment; they do not change. `now`: ms. */
  at(now: number): Prices;
  /** Whether each of them is in a snapshot that was seen here and is not too old. `now`: ms. */
  hasSeen(used: readonly UsedPrice[], now: number): boolean;
  /** When the newest snapshot of a relay was made, ms; undefined for none. */
  newestOf(relay: string): number | undefined;
  /** Whether enough relays have fresh snapshots. `now`: ms. */
  isFresh(now: number): boolean;
}

/**
 * `seenBefore`: when the newest snapshot of a relay that may have counted before this board was made, ms; 0 for none.
 */
export function createPriceBoard(
  trust: PriceTrust,
  seenBefore: (relay: string) => number = () => 0,
): PriceBoard {
  /** Keyed by name of the relay, the newest first. */
  const seen = new Map<string, readonly PriceSnapshot[]>();
  const isInTime = ({ at }: { readonly at: number }, now: number) =>
    now - at <= trust.maxAgeMs && at - now <= CLOCK_AHEAD_MS;
  const freshAt = (now: number) =>
    [...seen.values()].flatMap(([newest]) =>
      newest !== undefined && isInTime(newest, now) ? [newest] : [],
    );
  const newestOf = (relay: string) => seen.get(relay)?.[0]?.at ?? 0;
  return {
    findNews(relay, published, now) {
      const snapshot = openSnapshot(relay, published);
      if (snapshot === undefined || !isInTime(snapshot, now)) return undefined;
      // the snapshot that counted when the last process ended goes on counting
      const isNews = snapshot.at > newestOf(relay.name) && snapshot.at >= seenBefore(relay.name);
      return isNews ? snapshot : undefined;
    },
    take(news) {
      seen.set(news.relay, [news, ...(seen.get(news.relay) ?? [])].slice(0, KEPT_SNAPSHOTS));
    },
    at(now) {
      const fresh = freshAt(now);
      return { priceOf: (asset) => medianOf(asset, fresh, trust) };
    },
    hasSeen: (used, now) =>
      used.every(
        (one) =>
          isInTime(one, now) &&
          (seen.get(one.relay) ?? []).some(
            ({ at, prices }) => at === one.at && prices.get(one.asset) === one.price,
          ),
      ),
    newestOf: (relay) => seen.get(relay)?.[0]?.at,
    isFresh: (now) => freshAt(now).length >= trust.needed,
  };
}

/** Undefined unless the relay signed it. */
function openSnapshot(
  { name, publicKey }: TrustedRelay,
  published: Uint8Array,
): PriceSnapshot | undefined {
  let opened: SignedSnapshot;
  try {
    opened = decodeSignedSnapshot(published);
  } catch {
    return undefined;
  }
  const { snapshot, message, signature } = opened;
  const isTheirs = snapshot.relay === name && verifyEd25519(publicKey, message, signature);
  return isTheirs ? snapshot : undefined;
}

function medianOf(
  asset: string,
  snapshots: readonly PriceSnapshot[],
  { needed, maxSpreadBps, maxAgeMs }: PriceTrust,
): UsedPrice | Unpriced {
  if (snapshots.length < needed) {
    const reason = `fewer than ${needed} relays have prices of the last ${maxAgeMs / 1_000} s`;
    return { unpriced: reason };
  }
  const said = snapshots.flatMap(({ prices, at, relay }) => {
    const price = prices.get(asset);
    return price === undefined ? [] : [{ asset, price, at, relay }];
  });
  if (said.length < needed) return { unpriced: `there is no price of ${asset}` };
  return medianPrice(said, maxSpreadBps) ?? { unpriced: `the prices of ${asset} diverge` };
}
