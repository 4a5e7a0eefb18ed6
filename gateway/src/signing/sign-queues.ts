import { signQueueName } from '@countersign/runtime/jobs/names.js';
import type { Replica } from '@countersign/runtime/jobs/replica.js';
import { Queue } from 'bullmq';
import type { Redis } from 'ioredis';
import type { SendBatch } from './batch-carrier.js';

/** Nobody reads a batch back: the parties' records are the truth, so Redis keeps nothing. */
const JOB_OPTIONS = { removeOnComplete: true, removeOnFail: true, attempts: 1 } as const;

/** One BullMQ queue per replica: commitments and the lead's part belong to one process. */
export function createSignQueues(redis: Redis): { send: SendBatch; close(): Promise<void> } {
  const queues = new Map<string, Queue>();

  function queueOf(replica: Replica): Queue {
    const name = signQueueName(replica);
    const known = queues.get(name);
    if (known !== undefined) return known;
    const queue = new Queue(name, {
      connection: redis,
      skipVersionCheck: true,
      skipWaitingForReady: true,
      streams: { events: { maxLen: 10 } },
    });
    queue.on('error', () => undefined); // the connection's own handler logs it
    queues.set(name, queue);
    return queue;
  }

  return {
    async send(replica, sealed) {
      await queueOf(replica).add('batch', { sealed: sealed.toString('base64') }, JOB_OPTIONS);
    },
    async close() {
      await Promise.all([...queues.values()].map((queue) => queue.close()));
    },
  };
}
