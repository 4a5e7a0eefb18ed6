/**
 * Ordinary BullMQ jobs, for work that the ledger asks for: BullMQ is used as it is, so that its own tools tell the truth
 * about them. A job carries no authority: lost, forged or repeated it changes nothing that the ledger says.
 */
import type { ConnectionOptions, JobsOptions, QueueOptions, WorkerOptions } from 'bullmq';

/** For whoever watches the queue as it moves: its depth and rates stand elsewhere. */
const KEPT_EVENTS = 100;
/** One data point a minute. */
const RATES_OF_A_DAY = { maxDataPoints: 1_440 };
/** After a break of the connection: the next job is waited for again. */
const RETRY_DELAY_MS = 100;
/** A job that is added is taken at once all the same: this is how often an idle worker looks without being woken. */
const IDLE_LOOK_S = 10;
/** Kept for those who look, s. */
const KEPT_S = 3_600;
const MAX_KEPT = 1_000;

const WORK_JOB: JobsOptions = {
  attempts: 3,
  backoff: { type: 'fixed', delay: 1_000 },
  removeOnComplete: { age: KEPT_S, count: MAX_KEPT },
  removeOnFail: { age: KEPT_S, count: MAX_KEPT },
  stackTraceLimit: 0,
};

export function workQueueOptions(connection: ConnectionOptions): QueueOptions {
  return {
    connection,
    skipVersionCheck: true,
    skipWaitingForReady: true,
    streams: { events: { maxLen: KEPT_EVENTS } },
    defaultJobOptions: WORK_JOB,
  };
}

/** Work is begun again where a worker died with it: it is looked up in the ledger each time. */
export function workWorkerOptions(
  connection: ConnectionOptions,
  concurrency: number,
): WorkerOptions {
  return {
    connection,
    concurrency,
    skipVersionCheck: true,
    maxStalledCount: 10,
    metrics: RATES_OF_A_DAY,
    runRetryDelay: RETRY_DELAY_MS,
    drainDelay: IDLE_LOOK_S,
  };
}
