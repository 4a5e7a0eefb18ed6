/**
 * Jobs for work that the ledger asks for: they wake parties, and operators see them in BullMQ. They carry no authority:
 * the parties do what the ledger says, with or without them.
 */
import { workQueueOptions } from '@countersign/runtime/jobs/work-job.js';
import { freezeQueueName, KEY_GENERATION_QUEUE } from '@countersign/runtime/jobs/names.js';
import type { LedgerFollower } from '@countersign/runtime/ledger/ledger-follower.js';
import type { Logger } from '@countersign/runtime/process/logger.js';
import { Queue } from 'bullmq';
import type { Redis } from 'ioredis';
import { createBoundedQueues, type JobQueue } from './bounded-queues.js';
import type { Presence } from './presence.js';

/** Dropped from one queue in one go: it takes no more than 256. */
const MOST_DROPPED = 1_000;

export interface WorkJobs {
  /** Tells every live replica to look at the ledger now if the operation takes something away. `seq`: its entry. */
  onAppended(operationId: string, seq: number): void;
  close(): Promise<void>;
}

export interface WorkJobsDeps {
  readonly redis: Redis;
  readonly presence: Pick<Presence, 'replicas'>;
  readonly follower: Pick<LedgerFollower, 'state' | 'onOutcomes'>;
  readonly logger: Logger;
  readonly now: () => number;
}

export function openWorkJobs({ redis, presence, follower, logger, now }: WorkJobsDeps): WorkJobs {
  const freezes = createBoundedQueues((name) => openFreezeQueue(redis, name), now);
  const keys = openQueue(redis, KEY_GENERATION_QUEUE);
  const onFailure = (error: unknown) =>
    logger.warn(
      { event: 'job_not_added', reason: String(error) },
      'the work goes on without its job',
    );

  follower.onOutcomes((outcomes) => {
    const { pending } = follower.state.keys.indexes;
    const asked = outcomes.flatMap(({ subject }) => subject?.keyIds ?? []);
    // the job id makes it one job for a key, whichever gateway is first
    for (const keyId of new Set(asked)) {
      if (pending.has(keyId)) keys.add('key-generation', keyId, { jobId: keyId }).catch(onFailure);
    }
  });
  return {
    onAppended(operationId, seq) {
      if (!operationId.startsWith('freeze-')) return;
      for (const replica of presence.replicas) {
        freezes.add(freezeQueueName(replica), String(seq)).catch(onFailure);
      }
    },
    async close() {
      await Promise.all([freezes.close(), keys.close()]);
    },
  };
}

/** A job that no replica takes is dropped: a replica that starts reads the ledger anyway. */
function openFreezeQueue(redis: Redis, name: string): JobQueue {
  const queue = openQueue(redis, name);
  return {
    async add(job) {
      await queue.add('freeze', job);
    },
    countWaiting: () => queue.getWaitingCount(),
    // no figure shows it
    findOldest: async () => undefined,
    async dropOlderThan(ms) {
      await queue.clean(ms, MOST_DROPPED, 'wait');
    },
    close: () => queue.close(),
  };
}

function openQueue(redis: Redis, name: string): Queue<string> {
  const queue = new Queue<string>(name, workQueueOptions(redis));
  queue.on('error', () => undefined); // the connection's own handler logs it
  return queue;
}
