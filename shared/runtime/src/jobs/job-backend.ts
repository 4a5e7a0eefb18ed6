/**
 * How BullMQ keeps the jobs of signing in Redis: in one sorted set for each queue, by the time at which they were added,
 * from which a worker that waits takes the oldest. Its own way keeps a hash, a lock, a marker and eight events for a
 * job, so that it can be read back, watched and run again: 57 commands, most of them in scripts. A job of signing is
 * taken once, never run again and read back by nobody: what becomes of it is in the parties' records. So it costs two.
 *
 * A job is a text. What a worker had taken when it died is lost, as a message would be: gateways ask again.
 */
import {
  createRedisBackend,
  type BackendFactory,
  type JobJson,
  type RedisQueueBackend,
} from 'bullmq';

/**
 * Where jobs wait, by when they were added (ms). It is BullMQ's own place for jobs that have a priority, so that every
 * reader of BullMQ's counts them; the older one comes first.
 */
export function waitingJobsKey(queue: string): string {
  return `bull:${queue}:prioritized`;
}

/** What of a connection it takes to add a job: BullMQ's type of one leaves it out. */
interface SortedSets {
  zadd(key: string, score: number, member: string): Promise<unknown>;
}

interface TakenJob {
  readonly text: string;
  /** ms */
  readonly addedAt: number;
}

/** For queues, of which `add` alone is of use, and for workers, which need neither locks nor a look for stalled jobs. */
export const createJobBackend: BackendFactory<RedisQueueBackend> = (name, options, connections) => {
  const backend = createRedisBackend(name, options, connections);
  // a worker takes from where jobs wait what it takes otherwise from a marker beside it
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
    /** Takes the oldest. The worker is told that there is one, and asks for it at once. */
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
