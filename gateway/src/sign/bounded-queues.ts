/**
 * Queues that may have no reader: a replica may have died, or never have existed. A job expires after a time, and a
 * full queue takes no more.
 */
import { SIGN_TIME_TO_LIVE_MS } from '@countersign/runtime/jobs/names.js';
import { openTicks } from '@countersign/runtime/process/ticks.js';

/** A replica that reads its queue leaves a few jobs waiting. */
const MAX_WAITING = 256;
const TEND_MS = 500;
/** A queue that is not used for so long is forgotten once it is empty, ms. */
const FORGET_AFTER_MS = 60_000;

export interface JobQueue {
  add(job: string): Promise<void>;
  /** Jobs that nobody has taken. */
  countWaiting(): Promise<number>;
  /** When the oldest of them was added, ms; undefined for none. */
  findOldest(): Promise<number | undefined>;
  /** Deletes jobs that have waited longer than this, ms. */
  dropOlderThan(ms: number): Promise<void>;
  close(): Promise<void>;
}

/** A queue as it was when it was looked at last. */
export interface QueueFigures {
  readonly name: string;
  /** Jobs that nobody has taken. */
  readonly waiting: number;
  /** When the oldest of them was added, ms; undefined for none. */
  readonly oldestAt: number | undefined;
}

export interface BoundedQueues {
  /** Rejects when too many jobs wait in the queue already. */
  add(name: string, job: string): Promise<void>;
  /** Looks once at each queue that was used or is not empty. It also runs by itself twice a second. */
  tend(): Promise<void>;
  readonly figures: readonly QueueFigures[];
  close(): Promise<void>;
}

interface Tended {
  readonly queue: JobQueue;
  /** When it was last looked at. */
  waiting: number;
  oldestAt: number | undefined;
  usedAt: number;
  /** Whether something was added since that look. */
  isUsed: boolean;
}

/** `now`: ms. */
export function createBoundedQueues(
  open: (name: string) => JobQueue,
  now: () => number,
): BoundedQueues {
  const queues = new Map<string, Tended>();

  function queueOf(name: string): Tended {
    const known = queues.get(name);
    if (known !== undefined) return known;
    const fresh: Tended = {
      queue: open(name),
      waiting: 0,
      oldestAt: undefined,
      usedAt: now(),
      isUsed: false,
    };
    queues.set(name, fresh);
    return fresh;
  }

  async function tendOne(name: string, tended: Tended): Promise<void> {
    const { queue } = tended;
    if (tended.isUsed || tended.waiting > 0) await look(tended);
    if (tended.waiting > 0) await queue.dropOlderThan(SIGN_TIME_TO_LIVE_MS);
    else if (now() - tended.usedAt > FORGET_AFTER_MS) {
      queues.delete(name);
      await queue.close();
    }
  }

  async function tend(): Promise<void> {
    // while Redis is away nothing can be added either, so failures are ignored
    await Promise.allSettled([...queues].map(([name, tended]) => tendOne(name, tended)));
  }

  const ticks = openTicks(TEND_MS, () => void tend());
  return {
    async add(name, job) {
      const tended = queueOf(name);
      tended.usedAt = now();
      tended.isUsed = true;
      if (tended.waiting >= MAX_WAITING) throw new Error('the queue is full: nobody reads it');
      await tended.queue.add(job);
    },
    tend,
    get figures() {
      return [...queues].map(([name, { waiting, oldestAt }]) => ({ name, waiting, oldestAt }));
    },
    async close() {
      ticks.stop();
      await Promise.all([...queues.values()].map(({ queue }) => queue.close()));
    },
  };
}

async function look(tended: Tended): Promise<void> {
  const { queue } = tended;
  tended.isUsed = false;
  tended.waiting = await queue.countWaiting().catch((error: unknown) => {
    tended.isUsed = true;
    throw error;
  });
  tended.oldestAt = tended.waiting > 0 ? await queue.findOldest() : undefined;
}
