/**
 * One queue as the page shows it, read-only. A job's payload, result and cause of failure are not even read: they stay
 * in Redis. bull-board has only what this gives it.
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

/** The states of jobs, as BullMQ names them. */
const PLACES = [
  'active',
  'waiting',
  'waiting-children',
  'prioritized',
  'completed',
  'failed',
  'delayed',
] as const satisfies readonly JobStatus[];

/** Fields of a job that may be seen: none was written by whoever asked for the work. */
const SHOWN = ['name', 'timestamp', 'processedOn', 'finishedOn', 'atm', 'progress'] as const;
/** Other names are hidden: whoever writes to Redis can call a job anything. */
const NAMES = new Set(['key-generation', 'freeze', 'batch']);
const HIDDEN = 'not shown';
const WHY_FAILED = 'The log of the party says why.';
const MAX_JOBS = 100;
/** Ids from the gateway and the parties are shorter; a longer one is not looked up. */
const MAX_ID_LENGTH = 128;

/** The commands of Redis that it uses. */
export interface JobFields {
  hmget(key: string, ...fields: string[]): Promise<(string | null)[]>;
  hexists(key: string, field: string): Promise<number>;
}

/** `hasJobs`: whether each job has a hash, so that it can be looked at. Jobs of signing have none. */
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
    if (!this.#hasJobs) return []; // its entries are the sealed requests
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

  // bull-board uses these to look for a job's parent and children: no job has any
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

  // the page may ask for this, and gets nothing
  override getJobLogs = async (): Promise<string[]> => [];
  override getRedisInfo = async (): Promise<null> => null;
  override getJobSchedulers = async (): Promise<never[]> => [];
  override getJobSchedulersCount = async (): Promise<number> => 0;
  override getGlobalConcurrency = async (): Promise<null> => null;

  // bull-board's own routes would do this: none of them is routed, and none would work here
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
  return Promise.reject(new Error('this page only reads the queues'));
}

/** Another kind of value has this name. */
function noHash(error: unknown): undefined {
  if (error instanceof Error && error.message.startsWith('WRONGTYPE')) return undefined;
  throw error;
}

function placeInRedis(place: JobStatus): JobType {
  return place === 'waiting' ? 'wait' : (place as JobType);
}

/** `fields`: the `SHOWN` ones, as text that anybody may have written. */
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
