/** The existing queues, opened for reading when somebody looks. */
import {
  freezeQueueName,
  KEY_GENERATION_QUEUE,
  signQueueName,
} from '@countersign/runtime/jobs/names.js';
import { workQueueOptions } from '@countersign/runtime/jobs/work-job.js';
import { Queue } from 'bullmq';
import type { Redis } from 'ioredis';
import type { Presence } from '../sign/presence.js';
import type { SignQueues } from '../sign/sign-queues.js';
import type { ViewedQueue } from './queue-view.js';

export interface ViewedQueues {
  /** Queues of every live replica, and of replicas for which jobs of this gateway wait; by name. */
  list(): ViewedQueue[];
  close(): Promise<void>;
}

interface QueueSources {
  readonly redis: Redis;
  readonly presence: Pick<Presence, 'replicas'>;
  readonly queues: Pick<SignQueues, 'figures'>;
}

export function openViewedQueues({ redis, presence, queues }: QueueSources): ViewedQueues {
  const opened = new Map<string, Queue>();

  function queueNamed(name: string): Queue {
    const known = opened.get(name);
    if (known !== undefined) return known;
    // it writes nothing to Redis, not even the queue's metadata
    const queue = new Queue(name, { ...workQueueOptions(redis), skipMetasUpdate: true });
    queue.on('error', () => undefined); // the connection's own handler logs it
    opened.set(name, queue);
    return queue;
  }

  function closeAllBut(names: ReadonlySet<string>): void {
    for (const [name, queue] of opened) {
      if (names.has(name)) continue;
      opened.delete(name);
      queue.close().catch(() => undefined);
    }
  }

  return {
    list() {
      const work = [KEY_GENERATION_QUEUE, ...presence.replicas.map(freezeQueueName)];
      const signing = [
        ...presence.replicas.map(signQueueName),
        ...queues.figures.map(({ name }) => name),
      ];
      const names = new Set([...work, ...signing].toSorted());
      closeAllBut(names);
      const hasJobs = new Set(work);
      return [...names].map((name) => ({
        queue: queueNamed(name),
        redis,
        hasJobs: hasJobs.has(name),
      }));
    },
    async close() {
      await Promise.all([...opened.values()].map((queue) => queue.close()));
    },
  };
}
