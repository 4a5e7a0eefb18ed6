/**
 * One queue as the page shows it. It can only be read, and of a job its payload is not even read: what it holds, what came
 * of it and why it failed stay in Redis. What this gives to bull-board is all that bull-board has.
 */
import { BaseAdapter } from '@bull-board/api/dist/queueAdapters/base.js';
import type {
  JobCounts,
  JobState,
  JobStatus,
  MetricsType,
  QueueJob,
  QueueJobJson,
  QueueMetrics,
  Status,
} from '@bull-board/api/dist/types.js';
import type { JobType, Queue } from 'bullmq';

/** The places of a queue, as BullMQ counts them. */
const PLACES = [
  'active',
  'waiting',
  'waiting-children',
  'prioritized',
  'completed',
  'failed',
  'delayed',
] as const satisfies readonly JobStatus[];

/** What BullMQ keeps of a job and may be seen: none of it was written by who asked for the work. */
const SHOWN = ['name', 'timestamp', 'processedOn', 'finishedOn', 'atm', 'progress'] as const;
/** Whoever writes to Redis can call a job anything. */
const NAMES = new Set(['key-generation', 'freeze', 'batch']);
const HIDDEN = 'not shown';
const WHY_FAILED = 'The log of the party says why.';
const MAX_JOBS = 100;
/** As the gateway and the parties make them; a longer one is not looked up. */
const MAX_ID_LENGTH = 128;

/** What of Redis it takes. */
export interface JobFields {
  hmget(key: string, ...fields: string[]): Promise<(string | null)[]>;
  hexists(key: string, field: string): Promise<number>;
}

/** `hasJobs`: whether they have a hash each, so that one can be looked at. Those of signing have none. */
export interface ViewedQueue {
  readonly queue: Queue;
  readonly redis: JobFields;
  readonly hasJobs: boolean;
}

export class QueueView extends BaseAdapter {
  readonly #queue: Queue;
  readonly #redis: JobFields;
  readonly #hasJobs: boolean;

  constructor({ queue, redis, hasJobs }: ViewedQueue) {
    super('bullmq', { readOnlyMode: true, allowRetries: false });
    this.#queue = queue;
    this.#redis = redis;
    this.#hasJobs = hasJobs;
  }

  override getName(): string {
    return this.#queue.name;
  }

  override async getJobCounts(): Promise<JobCounts> {
    return (await this.#queue.getJobCounts(...PLACES)) as JobCounts;
  }

  override async getJobs(places: JobStatus[], start = 0, end = MAX_JOBS): Promise<QueueJob[]> {
    if (!this.#hasJobs) return []; // what stands there is the sealed request itself
    const last = Math.min(end, start + MAX_JOBS - 1);
    const ids = await this.#queue.getRanges(places.map(placeInRedis), start, last);
    const jobs = await Promise.all(ids.map((id) => this.getJob(id)));
    return jobs.filter((job) => job !== undefined);
  }

  override async getJob(id: string): Promise<QueueJob | undefined> {
    if (!this.#hasJobs || id.length > MAX_ID_LENGTH) return undefined;
    const key = this.#queue.toKey(id);
    const [fields, failed] = await Promise.all([
      this.#redis.hmget(key, ...SHOWN).catch(noHash),
      this.#redis.hexists(key, 'failedReason').catch(noHash),
    ]);
    if (fields?.[1] == null) return undefined;
    return viewOf(jsonOf(id, fields, failed === 1), () => this.#stateOf(id));
  }

  override async getMetrics(type: MetricsType): Promise<QueueMetrics> {
    return this.#queue.getMetrics(type);
  }

  // by these bull-board looks for the parent and the children of a job: no job has any
  getQueueQualifiedName = (): string => this.#queue.qualifiedName;
  getFlowProducer = async (): Promise<null> => null;

  override isPaused(): Promise<boolean> {
    return this.#queue.isPaused();
  }

  override getStatuses(): Status[] {
    return ['latest', ...PLACES] as Status[];
  }

  override getJobStatuses(): JobStatus[] {
    return [...PLACES];
  }

  // what the page may ask for and is not told
  override getJobLogs = async (): Promise<string[]> => [];
  override getRedisInfo = async (): Promise<null> => null;
  override getJobSchedulers = async (): Promise<never[]> => [];
  override getJobSchedulersCount = async (): Promise<number> => 0;
  override getGlobalConcurrency = async (): Promise<null> => null;

  // what bull-board's own routes would do: none of them is routed, and none could do it here
  override addJob = refused;
  override clean = refused;
  override pause = refused;
  override resume = refused;
  override empty = refused;
  override obliterate = refused;
  override promoteAll = refused;
  override removeJobScheduler = refused;
  override updateJobScheduler = refused;
  override runJobSchedulerNow = refused;
  override setGlobalConcurrency = refused;

  async #stateOf(id: string): Promise<JobState> {
    return (await this.#queue.getJobState(id)) as JobState;
  }
}

function refused(): Promise<never> {
  return Promise.reject(new Error('the queues are only read here'));
}

/** Something else than a job has this name. */
function noHash(error: unknown): undefined {
  if (error instanceof Error && error.message.startsWith('WRONGTYPE')) return undefined;
  throw error;
}

function placeInRedis(place: JobStatus): JobType {
  return place === 'waiting' ? 'wait' : (place as JobType);
}

/** `fields`: those of `SHOWN`, as text that anybody may have written. */
function jsonOf(id: string, fields: readonly (string | null)[], hasFailed: boolean): QueueJobJson {
  const [name, timestamp, processedOn, finishedOn, attempts, progress] = fields;
  return {
    id,
    name: name != null && NAMES.has(name) ? name : 'unknown',
    timestamp: numberOf(timestamp) ?? 0,
    processedOn: numberOf(processedOn) ?? null,
    finishedOn: numberOf(finishedOn) ?? null,
    attemptsMade: numberOf(attempts) ?? 0,
    progress: numberOf(progress) ?? 0,
    failedReason: hasFailed ? WHY_FAILED : '',
    stacktrace: [],
    data: HIDDEN,
    returnvalue: HIDDEN,
    opts: {},
  };
}

function numberOf(text: string | null | undefined): number | undefined {
  return text != null && /^\d{1,15}$/.test(text) ? Number(text) : undefined;
}

function viewOf(json: QueueJobJson, getState: () => Promise<JobState>): QueueJob {
  return {
    opts: {},
    toJSON: () => json,
    getState,
    promote: refused,
    remove: refused,
    retry: refused,
  };
}
