/**
 * Single use of nonces: fast, in Redis. Redis may forget; the store notices and then refuses every
 * timestamp older than that moment. Beyond it stand the fold and the parties' records, which refuse a
 * second effect of the same signed request whatever Redis says.
 */
import { TIMESTAMP_WINDOW_MS } from '@countersign/vault/authentication/authenticate.js';
import { refuse, type Refusal } from '@countersign/core/errors.js';
import type { Logger } from '@countersign/runtime/process/logger.js';
import type { Redis } from 'ioredis';
import { askStore } from '../stores/ask-store.js';

const PREFIX = 'countersign:nonce:';
const EPOCH_KEY = 'countersign:nonce-epoch';
const MARGIN_MS = 60_000;

/**
 * KEYS: epoch, nonce. ARGV: run id of the Redis process as this gateway knows it, now (ms), lifetime
 * (ms). The epoch names the Redis process whose memory is unbroken and since when; where it is missing
 * (flushed) or names another process (restarted) the memory begins now. Returns {claimed, begin}.
 */
const RENEW = `
local epoch = redis.call('HMGET', KEYS[1], 'run_id', 'begin')
local begin = epoch[2]
if epoch[1] ~= ARGV[1] then
  begin = ARGV[2]
  redis.call('HSET', KEYS[1], 'run_id', ARGV[1], 'begin', begin)
end
`;
const CLAIM = `${RENEW}
local claimed = redis.call('SET', KEYS[2], '1', 'NX', 'PX', ARGV[3])
return { claimed and 1 or 0, begin }
`;

type ClaimingRedis = Redis & {
  countersignClaimNonce(
    epoch: string,
    nonce: string,
    runId: string,
    now: number,
    lifetime: number,
  ): Promise<[number, string]>;
  countersignRenewEpoch(epoch: string, runId: string, now: number): Promise<null>;
};

export interface NonceStore {
  /** undefined when the nonce is now the caller's; 401 when it was used. Throws 504 without Redis. */
  claim(nonce: Buffer, timestampMs: number, now: number): Promise<Refusal | undefined>;
  /** Whether Redis is known to remember: until then claims may be refused or fail. */
  readonly isReady: boolean;
  /** Notices a loss of memory soon, not only at the next claim. */
  renewEpoch(now: number): Promise<void>;
}

export function createNonceStore(redis: Redis, logger: Logger): NonceStore {
  redis.defineCommand('countersignClaimNonce', { numberOfKeys: 2, lua: CLAIM });
  redis.defineCommand('countersignRenewEpoch', { numberOfKeys: 1, lua: RENEW });
  const client = redis as ClaimingRedis;
  let runId: Promise<string> | undefined;
  let isReady = false;
  // another process may answer behind the same address: ask again after every break of the connection
  const forget = () => {
    runId = undefined;
    isReady = false;
  };
  redis.on('close', forget);

  return {
    get isReady() {
      return isReady;
    },
    async renewEpoch(now) {
      try {
        runId ??= readRunId(redis);
        await client.countersignRenewEpoch(EPOCH_KEY, await runId, now);
        isReady = true;
      } catch (error) {
        forget();
        throw error;
      }
    },
    async claim(nonce, timestampMs, now) {
      const lifetime = Math.max(timestampMs - now, 0) + TIMESTAMP_WINDOW_MS + MARGIN_MS;
      let answer: [number, string];
      try {
        answer = await askStore(async () => {
          runId ??= readRunId(redis);
          const key = PREFIX + nonce.toString('hex');
          return client.countersignClaimNonce(EPOCH_KEY, key, await runId, now, lifetime);
        });
      } catch (error) {
        forget();
        throw error;
      }
      const [claimed, begin] = answer;
      if (claimed !== 1) return refuse('unauthorized', 'the nonce was used before');
      if (timestampMs <= Number(begin)) {
        logger.warn(
          { event: 'nonce_memory_gap' },
          'refused a timestamp older than the nonce memory',
        );
        return refuse(
          'unauthorized',
          'x-request-timestamp is older than the memory of used nonces: sign the request again',
        );
      }
      return undefined;
    },
  };
}

async function readRunId(redis: Redis): Promise<string> {
  const info = await redis.info('server');
  const match = /^run_id:([0-9a-f]+)/m.exec(info);
  if (match === null) throw new Error('Redis does not tell its run_id');
  return match[1]!;
}
