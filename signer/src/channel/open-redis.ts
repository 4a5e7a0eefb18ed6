/** A party's connections to Redis reconnect by themselves, and never give up. */
import { keepHearing } from '@countersign/runtime/process/keep-hearing.js';
import type { Logger } from '@countersign/runtime/process/logger.js';
import { Redis } from 'ioredis';

const CONNECT_TIMEOUT_MS = 2_000;
const MAX_RETRY_DELAY_MS = 1_000;

/** Errors go to the log. */
export function openRedis(url: string, logger: Logger): Redis {
  const redis = connect(url);
  redis.on('error', (error: Error) =>
    logger.warn({ event: 'redis_error', reason: error.message }, 'Redis connection error'),
  );
  return redis;
}

/** BullMQ blocks on a copy of its own, and reports its errors itself. */
export function openWorkerRedis(url: string): Redis {
  const redis = connect(url);
  redis.on('error', () => undefined);
  return redis;
}

function connect(url: string): Redis {
  const redis = new Redis(url, {
    // commands wait for the connection: BullMQ demands it
    maxRetriesPerRequest: null,
    connectTimeout: CONNECT_TIMEOUT_MS,
    retryStrategy: retryDelayMs,
  });
  keepHearing(redis);
  return redis;
}

/** `attempt`: from 1 on. */
export function retryDelayMs(attempt: number): number {
  return Math.min(attempt * 50, MAX_RETRY_DELAY_MS);
}
