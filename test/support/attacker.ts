/** Attackers: one who holds Redis alone, and one who is a gateway and so holds the evidence key too. */
import { randomBytes } from 'node:crypto';
import type { Evidence } from '@countersign/core/evidence.js';
import { readEvidenceKeys } from '@countersign/core/evidence-key.js';
import type { EvidenceKeys } from '@countersign/core/evidence-seal.js';
import { waitingJobsKey } from '@countersign/runtime/jobs/job-backend.js';
import { PRESENCE_KEY, replyChannel, signQueueName } from '@countersign/runtime/jobs/names.js';
import { sealSignBatch } from '@countersign/runtime/jobs/sign-batch.js';
import { parsePresence, type Replica } from '@countersign/runtime/jobs/replica.js';
import { openReply, type SignOutcome } from '@countersign/runtime/jobs/sign-outcome.js';
import { PARTY_NUMBERS, type PartyNumber } from '@countersign/core/parties.js';
import type { Redis } from 'ioredis';
import { openTestRedis } from './restart-redis.ts';
import { eventually, type TestVault } from './test-vault.ts';

/** The replicas that say they are alive, in the order of their parties. */
export async function findReplicas(redis: Redis): Promise<[Replica, Replica, Replica]> {
  return eventually(async () => {
    const entries = Object.entries(await redis.hgetall(PRESENCE_KEY));
    const alive = entries.flatMap(([field, value]) => parsePresence(field, value)?.replica ?? []);
    const [first, second, third] = PARTY_NUMBERS.map((party) =>
      alive.find((replica) => replica.party === party && replica.name === 'a'),
    );
    if (first === undefined || second === undefined || third === undefined) return undefined;
    return [first, second, third] as [Replica, Replica, Replica];
  });
}

/** One replica that says it is alive, by its party and name. */
export async function findReplica(
  redis: Redis,
  party: PartyNumber,
  name: string,
): Promise<Replica> {
  return eventually(async () => {
    const value = await redis.hget(PRESENCE_KEY, `${party}:${name}`);
    return value === null ? undefined : parsePresence(`${party}:${name}`, value)?.replica;
  });
}

export interface RedisAttacker {
  readonly redis: Redis;
  /** A job in a replica's queue. */
  addJob(to: Replica, job: string): Promise<void>;
  /** Everything that goes over the channels of a pattern, from now on. */
  tap(pattern: string): Promise<{ channel: string; message: Buffer }[]>;
  close(): Promise<void>;
}

export function openRedisAttacker(url: string): RedisAttacker {
  const redis = openTestRedis(url);
  const subscriber = openTestRedis(url);
  return {
    redis,
    async addJob(to, job) {
      await redis.zadd(waitingJobsKey(signQueueName(to)), Date.now(), job);
    },
    async tap(pattern) {
      const heard: { channel: string; message: Buffer }[] = [];
      subscriber.on('pmessageBuffer', (from, channel, message) => {
        if (String(from) === pattern) heard.push({ channel: String(channel), message });
      });
      await subscriber.psubscribe(pattern);
      return heard;
    },
    async close() {
      redis.disconnect();
      subscriber.disconnect();
    },
  };
}

export interface ForgedItem {
  readonly evidence: Evidence;
  readonly receivedAt?: number;
  readonly submission?: string;
  /** Which item of a batch it says that it is. */
  readonly index?: number;
}

/** What a hostile gateway chooses that an honest one chooses for itself. */
interface Choice {
  readonly lead?: Replica;
  readonly partner?: Replica;
  /** That the batch names; what the vault's own gateway tells unless given. */
  readonly head?: BatchHead;
}

/** A place in a log: hash in hex. */
export interface BatchHead {
  readonly ledgerSeq: number;
  readonly ledgerHash: string;
}

export interface HostileGateway {
  /**
   * What the parties (1 leads 2, unless said) answered, in the order of the items; undefined when they did
   * not within five seconds, as to a batch that they do not take.
   */
  submit(items: readonly ForgedItem[], choice?: Choice): Promise<SignOutcome[] | undefined>;
  /**
   * What they answer once they have time: submits again what came back for want of it, or not at all. Items
   * that must not grow old meanwhile are made by a function, the same number of them each time.
   */
  ask(
    items: readonly ForgedItem[] | (() => readonly ForgedItem[]),
    choice?: Choice,
  ): Promise<SignOutcome[]>;
  close(): Promise<void>;
}

const ANSWER_MS = 5_000;
const ASK_MS = 60_000;
/** Of a party that is behind, and not of what it was asked. */
const PASSING_REASONS = [
  'the fold is not current',
  'not over this head',
  'no share or no commitment at hand',
  'records not committed',
];

/** What a gateway that follows the ledger names. */
export async function headOf({ baseUrl }: TestVault): Promise<BatchHead> {
  const response = await fetch(`${baseUrl}/v1/info`);
  const { ledger_head: head } = (await response.json()) as {
    ledger_head: { seq: number; hash: string };
  };
  return { ledgerSeq: head.seq, ledgerHash: head.hash };
}

export async function openHostileGateway(vault: TestVault): Promise<HostileGateway> {
  const keys: EvidenceKeys = readEvidenceKeys(vault.prepared.evidenceKeyFile);
  const gatewayId = `gateway-${randomBytes(8).toString('hex')}`;
  const attacker = openRedisAttacker(vault.servers.redis.url);
  const subscriber = openTestRedis(vault.servers.redis.url);
  const answers = new Map<string, (outcomes: SignOutcome[]) => void>();
  subscriber.on('messageBuffer', (_channel, sealed) => {
    const reply = openReply(sealed, gatewayId, keys);
    answers.get(reply.batchId)?.(reply.outcomes.map(({ outcome }) => outcome));
  });
  await subscriber.subscribe(replyChannel(gatewayId));

  async function choosePair({ lead, partner }: Choice) {
    if (lead !== undefined && partner !== undefined) return { lead, partner };
    const [first, second] = await findReplicas(attacker.redis);
    return { lead: lead ?? first, partner: partner ?? second };
  }

  const gateway: HostileGateway = {
    async submit(items, { head, ...chosen } = {}) {
      const pair = await choosePair(chosen);
      const batchId = randomBytes(16).toString('hex');
      const batch = {
        version: 1,
        batchId,
        gatewayId,
        ...pair,
        ...(head ?? (await headOf(vault))),
        items: items.map(({ evidence, index, receivedAt = Date.now(), submission }) => ({
          evidence,
          index,
          receivedAt,
          nonce: 0n,
          submission: submission ?? newSubmission(),
        })),
      };
      const sealed = sealSignBatch(batch, keys).toString('base64');
      let timer: NodeJS.Timeout | undefined;
      const answered = new Promise<SignOutcome[] | undefined>((resolve) => {
        answers.set(batchId, resolve);
        timer = setTimeout(() => resolve(undefined), ANSWER_MS);
      });
      await attacker.addJob(pair.lead, sealed);
      await attacker.addJob(pair.partner, sealed);
      const outcomes = await answered;
      clearTimeout(timer);
      return outcomes;
    },
    async ask(items, choice) {
      const makeItems = typeof items === 'function' ? items : () => items;
      const outcomes: (SignOutcome | undefined)[] = makeItems().map(() => undefined);
      // one for each item, so that an answer that was lost is given again
      const submissions = outcomes.map(newSubmission);
      await eventually(async () => {
        const fresh = makeItems();
        const open = [...outcomes.keys()].filter((index) => isPassing(outcomes[index]));
        const answer = await gateway.submit(
          open.map((index) => ({ submission: submissions[index]!, ...fresh[index]! })),
          choice,
        );
        open.forEach((index, position) => (outcomes[index] = answer?.[position]));
        return !outcomes.some(isPassing);
      }, ASK_MS);
      return outcomes.map((outcome) => outcome!);
    },
    async close() {
      subscriber.disconnect();
      await attacker.close();
    },
  };
  return gateway;
}

function isPassing(outcome: SignOutcome | undefined): boolean {
  if (outcome === undefined) return true;
  return outcome.outcome === 'retry' && PASSING_REASONS.includes(outcome.reason);
}

function newSubmission(): string {
  return randomBytes(16).toString('hex');
}
