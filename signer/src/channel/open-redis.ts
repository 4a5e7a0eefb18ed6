/** A party's connections to Redis reconnect by themselves, and never give up. */
import type { Logger } from '@countersign/runtime/process/logger.js';
import { SILENT_MS } from '@countersign/runtime/process/keep-hearing.js';
import { Redis, type RedisOptions } from 'ioredis';

const CONNECT_TIMEOUT_MS = 2_000;
const MAX_RETRY_DELAY_MS = 1_000;

/** Errors go to the log. */
export function openRedis(url: string, logger: Logger): Redis {
  return logged(connect(url), logger);
}

/** For subscriptions alone; see `keepHearing`. */
export function openSubscriberRedis(url: string, logger: Logger): Redis {
  return logged(connect(url, { socketTimeout: SILENT_MS }), logger);
}

function logged(redis: Redis, logger: Logger): Redis {
  redis.on('error', (error: Error) =>
    logger.warn({ event: 'redis_error', reason: error.message }, 'Redis connection error'),
  );
  return redis;
}

/** BullMQ blocks on a connection of its own, and reports its errors itself. */
export function openWorkerRedis(url: string): Redis {
  const redis = connect(url);
  redis.on('error', () => undefined);
  return redis;
}

function connect(url: string, more: RedisOptions = {}): Redis {
  return new Redis(url, {
    ...more,
    // commands wait for the connection: BullMQ demands it
    maxRetriesPerRequest: null,
    connectTimeout: CONNECT_TIMEOUT_MS,
    retryStrategy: retryDelayMs,
  });
}

/** `attempt`: from 1 on. */
export function retryDelayMs(attempt: number): number {
  return Math.min(attempt * 50, MAX_RETRY_DELAY_MS);
}
