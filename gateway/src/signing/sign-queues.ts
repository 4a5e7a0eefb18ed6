import { signQueueName } from '@countersign/runtime/jobs/names.js';
import { Queue, type QueueOptions } from 'bullmq';
import type { Redis } from 'ioredis';
import type { SendBatch } from './batch-carrier.js';
import { createBoundedQueues, type JobQueue, type QueueFigures } from './bounded-queues.js';

/** Nobody reads a batch back: the parties' records are the truth, so Redis keeps nothing. */
const JOB_OPTIONS = { removeOnComplete: true, removeOnFail: true, attempts: 1 } as const;
/** Jobs that are deleted at once. */
const MAX_DROPPED = 1_000;

export interface SignQueues {
  readonly send: SendBatch;
  /** Of every replica that this gateway sent something to lately. */
  readonly figures: readonly QueueFigures[];
  close(): Promise<void>;
}

/** One BullMQ queue per replica: commitments and the lead's part belong to one process. `now`: ms. */
export function createSignQueues(redis: Redis, now: () => number): SignQueues {
  const first = openScripts(redis);
  const queues = createBoundedQueues((name) => openJobQueue(redis, name), now);
  return {
    send: (replica, sealed) =>
      queues.add(signQueueName(replica), { sealed: sealed.toString('base64') }),
    get figures() {
      return queues.figures;
    },
    async close() {
      await Promise.all([queues.close(), first.close()]);
    },
  };
}

/**
 * BullMQ gives the connection its scripts when a queue is opened. A pipeline that ioredis began in the same turn of the
 * event loop would not know them, and break: so they are there before anything is asked.
 */
function openScripts(redis: Redis): Pick<Queue, 'close'> {
  return openQueue(redis, 'scripts', { skipMetasUpdate: true });
}

function openQueue(redis: Redis, name: string, options: Partial<QueueOptions> = {}): Queue {
  const queue = new Queue(name, {
    connection: redis,
    skipVersionCheck: true,
    skipWaitingForReady: true,
    streams: { events: { maxLen: 10 } },
    ...options,
  });
  queue.on('error', () => undefined); // the connection's own handler logs it
  return queue;
}

export function openJobQueue(redis: Redis, name: string): JobQueue {
  const queue = openQueue(redis, name);
  return {
    async add(data) {
      await queue.add('batch', data, JOB_OPTIONS);
    },
    countWaiting: () => queue.getWaitingCount(),
    async findOldest() {
      // the id and its time alone: what the job holds is nobody's business here
      const id = await redis.lindex(queue.toKey('wait'), -1);
      const added = id === null ? null : await redis.hget(queue.toKey(id), 'timestamp');
      return added === null || !/^\d{1,15}$/.test(added) ? undefined : Number(added);
    },
    async dropOlderThan(ms) {
      await queue.clean(ms, MAX_DROPPED, 'wait');
    },
    close: () => queue.close(),
  };
}
