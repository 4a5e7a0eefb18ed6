/** A Redis that evicts keys silently forgets nonces and jobs: it must be configured not to. */
import type { Logger } from '@countersign/runtime/process/logger.js';
import type { Redis } from 'ioredis';

/** Warns in the log; a Redis that does not tell its configuration is left alone. */
export async function warnOfEviction(redis: Pick<Redis, 'info'>, logger: Logger): Promise<void> {
  const policy = evictionPolicy(await redis.info('memory'));
  if (policy === undefined || policy === 'noeviction') return;
  logger.error(
    { event: 'redis_evicts', reason: `maxmemory-policy is ${policy}, and must be noeviction` },
    'Redis may forget nonces and jobs',
  );
}

/** `info`: the answer to INFO memory, lines of `name:value`. */
function evictionPolicy(info: string): string | undefined {
  return /^maxmemory_policy:(\S+)/m.exec(info)?.[1];
}
