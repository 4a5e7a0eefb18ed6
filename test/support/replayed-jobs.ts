/**
 * A gateway's and Redis' powers together, for replays: seals batches of captured requests as it likes, puts old and new
 * jobs into the queues of any replicas, publishes recorded messages of parties again, and reads every reply.
 */
import { randomBytes } from 'node:crypto';
import { readEvidenceKeys } from '@countersign/core/evidence-key.js';
import { PRESENCE_KEY, replyChannel } from '@countersign/runtime/jobs/names.js';
import { parsePresence, type Replica } from '@countersign/runtime/jobs/replica.js';
import {
  sealSignBatch,
  type SignBatch,
  type SignItem,
} from '@countersign/runtime/jobs/sign-batch.js';
import { openReply, type SignOutcome } from '@countersign/runtime/jobs/sign-outcome.js';
import { openRedisAttacker, type BatchHead } from './attacker.ts';
import { openTestRedis } from './restart-redis.ts';
import type { TestVault } from './test-vault.ts';

export interface Pair {
  readonly lead: Replica;
  readonly partner: Replica;
}

export interface RecordedMessage {
  readonly channel: string;
  readonly message: Buffer;
}

export interface JobReplayer {
  /** How many items were answered, by what the lead said of them. */
  readonly answered: Readonly<Record<string, number>>;
  /** Of the newest messages between parties. */
  readonly messages: readonly RecordedMessage[];
  /** The replicas that said last that they are alive. */
  findPairs(): Promise<readonly Pair[]>;
  /** Into both queues; resolves when the lead has answered, or not within `ANSWER_MS`. Gives the sealed batch. */
  submit(pair: Pair, head: BatchHead, items: readonly SignItem[]): Promise<string>;
  /** What was sealed once, into the queues of a pair. */
  submitAgain(pair: Pair, sealed: string): Promise<void>;
  publish(recorded: RecordedMessage): Promise<void>;
  flush(): Promise<void>;
  close(): Promise<void>;
}

const ANSWER_MS = 3_000;
const KEPT_MESSAGES = 2_000;

export async function openJobReplayer(
  { prepared, servers }: TestVault,
  onOutcome: (outcome: SignOutcome) => void,
): Promise<JobReplayer> {
  const keys = readEvidenceKeys(prepared.evidenceKeyFile);
  const gatewayId = `gateway-${randomBytes(8).toString('hex')}`;
  const attacker = openRedisAttacker(servers.redis.url);
  const subscriber = openTestRedis(servers.redis.url);
  const waiting = new Map<string, () => void>();
  const answered: Record<string, number> = {};
  const messages: RecordedMessage[] = [];
  let pairs: readonly Pair[] = [];

  function hearReply(channel: string, sealed: Buffer): void {
    const { batchId, outcomes } = openReply(sealed, channel.slice(replyChannel('').length), keys);
    for (const { outcome } of outcomes) onOutcome(outcome);
    const settle = waiting.get(batchId);
    if (settle === undefined) return;
    for (const { outcome } of outcomes) {
      const said = outcome.outcome === 'retry' ? outcome.reason : outcome.outcome;
      answered[said] = (answered[said] ?? 0) + 1;
    }
    settle();
  }

  subscriber.on('pmessageBuffer', (from, name, message) => {
    const channel = String(name);
    if (String(from) === replyChannel('*')) return hearReply(channel, message);
    messages.push({ channel, message });
    if (messages.length > KEPT_MESSAGES) messages.shift();
  });
  await subscriber.psubscribe(replyChannel('*'), 'countersign:party:*');

  async function enqueue({ lead, partner }: Pair, sealed: string): Promise<void> {
    await Promise.all([lead, partner].map((to) => attacker.addJob(to, sealed)));
  }

  return {
    answered,
    messages,
    async findPairs() {
      const entries = Object.entries(await attacker.redis.hgetall(PRESENCE_KEY));
      const replicas = entries.flatMap(
        ([field, value]) => parsePresence(field, value)?.replica ?? [],
      );
      // after a flush nobody has said anything yet
      if (replicas.length > 1) pairs = pairsOf(replicas);
      return pairs;
    },
    async submit(pair, head, items) {
      const batchId = randomBytes(16).toString('hex');
      const batch: SignBatch = { version: 1, batchId, gatewayId, ...pair, ...head, items };
      const sealed = sealSignBatch(batch, keys).toString('base64');
      const isAnswered = new Promise<void>((resolve) => {
        const timer = setTimeout(resolve, ANSWER_MS);
        waiting.set(batchId, () => {
          clearTimeout(timer);
          resolve();
        });
      });
      await enqueue(pair, sealed);
      await isAnswered;
      waiting.delete(batchId);
      return sealed;
    },
    submitAgain: enqueue,
    async publish({ channel, message }) {
      await attacker.redis.publish(channel, message);
    },
    async flush() {
      await attacker.redis.flushall();
    },
    async close() {
      subscriber.disconnect();
      await attacker.close();
    },
  };
}

/** Ordered, of different parties. */
function pairsOf(replicas: readonly Replica[]): Pair[] {
  return replicas.flatMap((lead) =>
    replicas.flatMap((partner) => (lead.party === partner.party ? [] : [{ lead, partner }])),
  );
}
