import type { Redis } from 'ioredis';
import type { NonceStore } from './nonce-store.js';
import { openTicks } from '@countersign/runtime/process/ticks.js';

const RENEWAL_MS = 1_000;

/**
 * Renews the epoch of the nonce memory at intervals, and at once after a reconnect: a loss in Redis is then noticed
 * before a replay can use it. A failed renewal is not reported: the store itself says that it is not ready.
 */
export function openNonceRenewal(
  redis: Pick<Redis, 'on'>,
  nonces: Pick<NonceStore, 'renewEpoch'>,
  now: () => number,
): { stop(): void } {
  const renew = () => void nonces.renewEpoch(now()).catch(() => undefined);
  redis.on('ready', renew);
  return openTicks(RENEWAL_MS, renew);
}
