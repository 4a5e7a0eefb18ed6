import type { Logger } from '@countersign/runtime/process/logger.js';
import { keepHearing } from '@countersign/runtime/process/keep-hearing.js';
import { Redis } from 'ioredis';
import { warnOfEviction } from './redis-eviction.js';

const COMMAND_TIMEOUT_MS = 2_000;

export interface RedisConnections {
  /** For requests: every command times out, and none waits in memory for a Redis that is away. */
  readonly commands: Redis;
  /** For subscriptions alone: commands do not time out, and it subscribes again after a lost connection. */
  readonly subscriber: Redis;
  close(): void;
}

/** Connects in the background, and again after every lost connection; errors of Redis are logged. */
export function openRedis(url: string, logger: Logger): RedisConnections {
  const commands = openCommandRedis(url);
  const subscriber = openSubscriberRedis(url);
  const both = [commands, subscriber];
  for (const redis of both) redis.on('error', (error) => logWarning(logger, error));
  both.forEach(keepHearing);
  commands.on('ready', () => {
    warnOfEviction(commands, logger).catch(() => undefined); // a hint: it may not be allowed to ask
  });
  return {
    commands,
    subscriber,
    close() {
      for (const redis of both) redis.disconnect();
    },
  };
}

function openCommandRedis(url: string): Redis {
  return new Redis(url, {
    enableOfflineQueue: false,
    // nothing is sent twice: a repeated claim of a nonce, whose first answer was lost, would be refused
    maxRetriesPerRequest: 0,
    commandTimeout: COMMAND_TIMEOUT_MS,
    connectTimeout: 2_000,
    retryStrategy: (attempt) => Math.min(attempt * 50, 1_000),
  });
}

function openSubscriberRedis(url: string): Redis {
  return new Redis(url, {
    maxRetriesPerRequest: null,
    connectTimeout: 2_000,
    retryStrategy: (attempt) => Math.min(attempt * 50, 1_000),
  });
}

function logWarning(logger: Logger, error: unknown): void {
  logger.warn({ event: 'redis_error', reason: String(error) }, 'Redis connection error');
}
