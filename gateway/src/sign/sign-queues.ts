import { createJobBackend, waitingJobsKey } from '@countersign/runtime/jobs/job-backend.js';
import { signQueueName } from '@countersign/runtime/jobs/names.js';
import { Queue } from 'bullmq';
import type { Redis } from 'ioredis';
import type { SendBatch } from './batch-carrier.js';
import { createBoundedQueues, type JobQueue, type QueueFigures } from './bounded-queues.js';

export interface SignQueues {
  readonly send: SendBatch;
  /** Figures for every replica that this gateway sent something to lately. */
  readonly figures: readonly QueueFigures[];
  close(): Promise<void>;
}

/** Opens one BullMQ queue per replica: commitments and the lead's part belong to one process. `now`: ms. */
export function createSignQueues(redis: Redis, now: () => number): SignQueues {
  const queues = createBoundedQueues((name) => openJobQueue(redis, name), now);
  return {
    send: (replica, sealed) => queues.add(signQueueName(replica), sealed.toString('base64')),
    get figures() {
      return queues.figures;
    },
    close: () => queues.close(),
  };
}

function openJobQueue(redis: Redis, name: string): JobQueue {
  const key = waitingJobsKey(name);
  const options = {
    connection: redis,
    skipVersionCheck: true,
    skipWaitingForReady: true,
    skipMetasUpdate: true,
  };
  const queue = new Queue(name, options, createJobBackend);
  queue.on('error', () => undefined); // the connection's own handler logs it
  return {
    async add(job) {
      await queue.add('batch', job);
    },
    countWaiting: () => redis.zcard(key),
    async findOldest() {
      const [, addedAt] = await redis.zrange(key, 0, 0, 'WITHSCORES');
      return momentOf(addedAt);
    },
    async dropOlderThan(ms) {
      await redis.zremrangebyscore(key, '-inf', Date.now() - ms);
    },
    close: () => queue.close(),
  };
}

/**
 * The time that Redis gives, ms. Whoever writes to Redis can write any number there: what is no time becomes undefined.
 */
export function momentOf(score: string | undefined): number | undefined {
  return score !== undefined && /^\d{1,15}$/.test(score) ? Number(score) : undefined;
}
