/** Whether Redis answers, keeps what it is given, and has the time. */
import { Redis } from 'ioredis';
import { checkClock } from './check-clock.js';
import { fault, ok, tryCheck, wordsOf, type Finding } from './finding.js';

const ABOUT = 'Redis';
const WITHIN_MS = 5_000;

export async function checkRedis(url: string): Promise<Finding[]> {
  const redis = new Redis(url, {
    lazyConnect: true,
    enableReadyCheck: false, // it asks what a login may not be allowed to ask
    connectTimeout: WITHIN_MS,
    commandTimeout: WITHIN_MS,
    maxRetriesPerRequest: 0,
    retryStrategy: null,
  });
  let trouble: unknown;
  redis.on('error', (error) => (trouble = error)); // says more than the call that failed
  try {
    await redis.connect();
    await redis.ping();
  } catch (error) {
    redis.disconnect();
    const advice = 'look at REDIS_URL, at the server, and at the way to it';
    return [fault(ABOUT, `it cannot be reached: ${wordsOf(trouble ?? error)}`, advice)];
  }
  try {
    return [
      ok(ABOUT, 'it answers'),
      ...(await tryCheck(ABOUT, async () => checkEviction(await redis.info('memory')))),
      ...(await tryCheck(ABOUT, () => checkClock(ABOUT, () => readClock(redis)))),
    ];
  } finally {
    redis.disconnect();
  }
}

/** `info`: the answer to INFO memory, lines of `name:value`. */
function checkEviction(info: string): Finding {
  const policy = /^maxmemory_policy:(\S+)/m.exec(info)?.[1];
  if (policy === undefined) throw new Error('it does not say its maxmemory-policy');
  if (policy === 'noeviction') return ok(ABOUT, 'it forgets nothing (noeviction)');
  const says = `maxmemory-policy is ${policy}: it may forget nonces and jobs`;
  return fault(ABOUT, says, 'set maxmemory-policy noeviction');
}

async function readClock(redis: Redis): Promise<number> {
  const [seconds, micros] = await redis.time();
  return Number(seconds) * 1_000 + Number(micros) / 1_000;
}
