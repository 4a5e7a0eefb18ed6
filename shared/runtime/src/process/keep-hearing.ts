/** Notices that a connection to Redis is dead. */
import { openTicks } from './ticks.js';

/** The part of an ioredis connection that is needed. */
export interface HearingRedis {
  readonly status: string;
  ping(): Promise<unknown>;
  on(event: 'close' | 'ready' | 'end', listener: () => void): unknown;
  disconnect(reconnect: true): void;
}

const PING_EVERY_MS = 4_000;
/** One ping can go unanswered because this process stood still, or Redis did for a moment. */
const MAX_UNANSWERED = 2;
/** Of ioredis: there is a connection, whether or not Redis has said yet that it is ready. */
const CONNECTED = ['connect', 'ready'];

/**
 * Connects again where Redis has answered no ping for eight to twelve seconds, until the connection is ended for good.
 * Where its host is gone nothing else tells: a subscriber would listen for two hours, and what is sent would be sent
 * again by the system for a quarter of an hour. ioredis's own `socketTimeout` outlives its connection, and ends the next
 * one. Not for a connection whose commands block.
 */
export function keepHearing(redis: HearingRedis): void {
  let unanswered = 0;
  const hear = () => void (unanswered = 0);
  redis.on('close', hear);
  redis.on('ready', hear);
  const ticks = openTicks(PING_EVERY_MS, () => {
    if (!CONNECTED.includes(redis.status)) return;
    if (unanswered >= MAX_UNANSWERED) return redis.disconnect(true);
    unanswered += 1;
    if (redis.status === 'ready') redis.ping().then(hear, () => undefined); // the connection tells its own error
  });
  redis.on('end', ticks.stop);
}
