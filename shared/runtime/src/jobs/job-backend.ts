/**
 * How BullMQ keeps signing jobs in Redis: each queue is one sorted set by time of adding, and a waiting worker takes
 * the oldest. BullMQ's own way keeps a hash, a lock, a marker and eight events for a job, so that it can be read back,
 * watched and run again. That takes 57 commands, most of them in scripts. A signing job is taken once, never run again
 * and read back by nobody, since the parties' records have its result. So it costs two.
 *
 * A job is a text. If a worker dies, the jobs that it took are lost, as messages would be: gateways ask again.
 */
import {
  createRedisBackend,
  type BackendFactory,
  type JobJson,
  type RedisQueueBackend,
} from 'bullmq';

/**
 * Holds waiting jobs by time of adding (ms), the oldest first. It is BullMQ's own place for jobs that have a priority,
 * so BullMQ's readers count them.
 */
export function waitingJobsKey(queue: string): string {
  return `bull:${queue}:prioritized`;
}

/** The part of a connection that adds a job: BullMQ's type of a connection leaves it out. */
interface SortedSets {
  zadd(key: string, score: number, member: string): Promise<unknown>;
}

interface TakenJob {
  readonly text: string;
  /** ms */
  readonly addedAt: number;
}

/**
 * For queues, of which only `add` is of use, and for workers, which need neither locks nor a check for stalled jobs.
 */
export const createJobBackend: BackendFactory<RedisQueueBackend> = (name, options, connections) => {
  const backend = createRedisBackend(name, options, connections);
  // a worker waits for waiting jobs themselves, not for a marker beside them
  backend.keys['marker'] = waitingJobsKey(name);
  const waitForOldest = backend.waitForJob.bind(backend);
  const key = waitingJobsKey(name);
  let taken: TakenJob | undefined;
  let count = 0;

  return Object.assign(backend, {
    async addJob({ data, timestamp }: JobJson): Promise<string> {
      const client = (await backend.client) as unknown as SortedSets;
      await client.zadd(key, timestamp, JSON.parse(data) as string);
      return '';
    },
    /** Takes the oldest job. The worker only learns that there is one, and asks for it at once. */
    async waitForJob(timeoutS: number) {
      const found = await waitForOldest(timeoutS);
      if (found === null) return null;
      taken = { text: found.member, addedAt: found.score };
      return { member: '0', score: 0 };
    },
    moveToActive(): Promise<unknown[]> {
      const job = taken;
      taken = undefined;
      if (job === undefined) return Promise.resolve([null, undefined, 0, 0]);
      count += 1;
      return Promise.resolve([jobOf(job, String(count)), String(count), 0, 0]);
    },
    moveToCompleted: () => Promise.resolve({ result: undefined, finishedOn: Date.now() }),
    moveToFailed: () => Promise.resolve({ result: undefined, finishedOn: Date.now() }),
  });
};

function jobOf({ text, addedAt }: TakenJob, id: string): JobJson {
  return {
    id,
    name: 'batch',
    data: JSON.stringify(text),
    opts: {},
    progress: 0,
    attemptsMade: 0,
    attemptsStarted: 1,
    timestamp: addedAt,
    failedReason: '',
    returnvalue: '',
    stalledCounter: 0,
  };
}
