/** Notices that a connection for subscriptions is dead. */
import { openTicks, type Ticks } from './ticks.js';

/** The part of an ioredis connection that is needed; its `socketTimeout` is {@link SILENT_MS}. */
export interface HearingRedis {
  readonly status: string;
  ping(): Promise<unknown>;
}

const PING_EVERY_MS = 5_000;
/** A connection is given up when nothing has come for so long after something was sent, ms. */
export const SILENT_MS = 5_000;

/**
 * A subscriber sends nothing by itself. Without pings it would listen for two hours to a host that is gone: so long the
 * system waits before it asks.
 */
export function keepHearing(redis: HearingRedis): Ticks {
  return openTicks(PING_EVERY_MS, () => {
    if (redis.status === 'ready') redis.ping().catch(() => undefined); // the connection tells its own error
  });
}
