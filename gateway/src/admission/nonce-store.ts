/**
 * Makes nonces single-use, fast, in Redis. Redis may forget; the store notices and then refuses every timestamp older
 * than that moment. Behind it stand the fold and the parties' records, which refuse a second effect of the same signed
 * request whatever Redis says.
 *
 * If nothing was ever let in, an empty Redis has forgotten nothing: a new vault takes callers whose clocks are minutes
 * behind. Only the ledger and the records can say so, never Redis. Each gateway asks them once, about the first memory
 * it meets, before it lets anybody in. It takes any later memory for a loss.
 */
import { TIMESTAMP_WINDOW_MS } from '@countersign/vault/authentication/authenticate.js';
import { refuse, type Refusal } from '@countersign/core/errors.js';
import { createGroupCommit } from '@countersign/runtime/records/group-commit.js';
import type { Logger } from '@countersign/runtime/process/logger.js';
import type { Redis } from 'ioredis';
import { askStore } from '../stores/ask-store.js';

const PREFIX = 'countersign:nonce:';
const EPOCH_KEY = 'countersign:nonce-epoch';
const MARGIN_MS = 60_000;
/** The `begin` of a memory that lacks nothing: older than every timestamp. */
const COMPLETE = '0';

/**
 * KEYS: epoch, nonces. ARGV: run id of the Redis process as this gateway knows it, now (ms), lifetime (ms) of each
 * nonce. The epoch names the Redis process whose memory is unbroken, and since when. If it is missing (flushed) or
 * names another process (restarted), the memory begins now. Returns {begin, claimed...}.
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
local answer = { begin }
for at = 2, #KEYS do
  answer[at] = redis.call('SET', KEYS[at], '1', 'NX', 'PX', ARGV[at + 1]) and 1 or 0
end
return answer
`;
const TELL = `${RENEW}
return begin
`;
/** KEYS: epoch. ARGV: run id and begin of the memory that lacks nothing; changes nothing if it is another by now. */
const COMPLETE_EPOCH = `
local epoch = redis.call('HMGET', KEYS[1], 'run_id', 'begin')
if epoch[1] == ARGV[1] and epoch[2] == ARGV[2] then
  redis.call('HSET', KEYS[1], 'begin', '${COMPLETE}')
end
`;

type ClaimingRedis = Redis & {
  /** Arguments: keys, run id, now, lifetimes. */
  countersignClaimNonces(
    keyCount: number,
    ...keysAndValues: readonly (string | number)[]
  ): Promise<[string, ...number[]]>;
  countersignRenewEpoch(epoch: string, runId: string, now: number): Promise<string>;
  countersignCompleteEpoch(epoch: string, runId: string, begin: string): Promise<null>;
};

export interface NonceStore {
  /** undefined when the nonce is now the caller's; 401 when it was used. Throws 504 without Redis. */
  claim(nonce: Buffer, timestampMs: number, now: number): Promise<Refusal | undefined>;
  /** Whether Redis is known to remember. Until then claims may be refused or fail. */
  readonly isReady: boolean;
  /** Notices a loss of memory soon, not only at the next claim. */
  renewEpoch(now: number): Promise<void>;
}

interface Claim {
  readonly nonce: Buffer;
  /** ms */
  readonly lifetime: number;
  readonly now: number;
}

type Claimed = readonly [claimed: number, begin: string];

export function createNonceStore(
  redis: Redis,
  logger: Logger,
  /** Whether no signed request was ever let in: see `createUnusedCheck`. */
  isVaultUnused: () => Promise<boolean>,
): NonceStore {
  const client = withScripts(redis);
  let runId: Promise<string> | undefined;
  let isReady = false;
  let firstJudged: Promise<void> | undefined;
  // another process may answer at the same address: ask again after every lost connection
  const forget = () => {
    runId = undefined;
    isReady = false;
  };
  redis.on('close', forget);

  async function renewEpoch(now: number): Promise<void> {
    try {
      runId ??= readRunId(redis);
      const id = await runId;
      const begin = await client.countersignRenewEpoch(EPOCH_KEY, id, now);
      firstJudged ??= judgeFirst(client, logger, isVaultUnused, { id, begin });
      await firstJudged;
      isReady = true;
    } catch (error) {
      forget();
      throw error;
    }
  }

  // claims that arrive while others are being made go together, in one command
  const claims = createGroupCommit<Claim, Claimed>(async (group) => {
    const now = Math.max(...group.map((claim) => claim.now));
    if (!isReady) await renewEpoch(now);
    runId ??= readRunId(redis);
    return claimTogether(client, await runId, now, group);
  });

  return {
    get isReady() {
      return isReady;
    },
    renewEpoch,
    async claim(nonce, timestampMs, now) {
      const lifetime = Math.max(timestampMs - now, 0) + TIMESTAMP_WINDOW_MS + MARGIN_MS;
      try {
        const answer = await askStore(() => claims.add({ nonce, lifetime, now }));
        return refuseClaim(answer, timestampMs, logger);
      } catch (error) {
        forget();
        throw error;
      }
    },
  };
}

/** Claims them in their order, as if they came one after the other. */
async function claimTogether(
  client: ClaimingRedis,
  runId: string,
  now: number,
  group: readonly Claim[],
): Promise<Claimed[]> {
  const [begin, ...claimed] = await client.countersignClaimNonces(
    1 + group.length,
    EPOCH_KEY,
    ...group.map(({ nonce }) => PREFIX + nonce.toString('hex')),
    runId,
    now,
    ...group.map(({ lifetime }) => lifetime),
  );
  return claimed.map((one) => [one, begin]);
}

function withScripts(redis: Redis): ClaimingRedis {
  redis.defineCommand('countersignClaimNonces', { lua: CLAIM });
  redis.defineCommand('countersignRenewEpoch', { numberOfKeys: 1, lua: TELL });
  redis.defineCommand('countersignCompleteEpoch', { numberOfKeys: 1, lua: COMPLETE_EPOCH });
  return redis as ClaimingRedis;
}

/** The first memory that a gateway meets may be a complete one. In doubt it counts as one that began late. */
async function judgeFirst(
  client: ClaimingRedis,
  logger: Logger,
  isVaultUnused: () => Promise<boolean>,
  { id, begin }: { readonly id: string; readonly begin: string },
): Promise<void> {
  try {
    if (begin === COMPLETE || !(await isVaultUnused())) return;
    await client.countersignCompleteEpoch(EPOCH_KEY, id, begin);
  } catch (error) {
    logger.warn(
      { event: 'nonce_memory_unjudged', reason: String(error) },
      'timestamps older than the nonce memory will be refused',
    );
  }
}

/** 401 for a nonce that was used, or that may have been used before the memory began. */
function refuseClaim(
  [claimed, begin]: Claimed,
  timestampMs: number,
  logger: Logger,
): Refusal | undefined {
  if (claimed !== 1) return refuse('unauthorized', 'the nonce was used before');
  if (timestampMs > Number(begin)) return undefined;
  logger.warn({ event: 'nonce_memory_gap' }, 'refused a timestamp older than the nonce memory');
  return refuse(
    'unauthorized',
    'x-request-timestamp is older than the memory of used nonces: sign the request again',
  );
}

async function readRunId(redis: Redis): Promise<string> {
  const info = await redis.info('server');
  const match = /^run_id:([0-9a-f]+)/m.exec(info);
  if (match === null) throw new Error('Redis does not tell its run_id');
  return match[1]!;
}
