import type { Logger } from '@countersign/runtime/process/logger.js';
import { Redis } from 'ioredis';

const COMMAND_TIMEOUT_MS = 2_000;

/** For requests: every command has an end, and none waits in memory for a Redis that is away. */
export function openCommandRedis(url: string, logger: Logger): Redis {
  const redis = new Redis(url, {
    enableOfflineQueue: false,
    // what is asked in one turn of the event loop is sent in one write
    enableAutoPipelining: true,
    // nothing is sent twice: the claim of a nonce whose answer was lost would be told that it was used before
    maxRetriesPerRequest: 0,
    commandTimeout: COMMAND_TIMEOUT_MS,
    connectTimeout: 2_000,
    retryStrategy: (attempt) => Math.min(attempt * 50, 1_000),
  });
  redis.on('error', (error) => logWarning(logger, error));
  return redis;
}

/** For subscriptions: no command time-outs, subscribes again after a break. */
export function openSubscriberRedis(url: string, logger: Logger): Redis {
  const redis = new Redis(url, {
    maxRetriesPerRequest: null,
    connectTimeout: 2_000,
    retryStrategy: (attempt) => Math.min(attempt * 50, 1_000),
  });
  redis.on('error', (error) => logWarning(logger, error));
  return redis;
}

function logWarning(logger: Logger, error: unknown): void {
  logger.warn({ event: 'redis_error', reason: String(error) }, 'Redis connection error');
}
