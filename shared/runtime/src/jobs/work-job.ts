/**
 * Ordinary BullMQ jobs, for work that the ledger asks for. BullMQ is used unchanged, so that its own tools tell the
 * truth about them. A job carries no authority: if lost, forged or repeated, it changes nothing that the ledger says.
 */
import type { ConnectionOptions, JobsOptions, QueueOptions, WorkerOptions } from 'bullmq';

/** Serves those who watch the queue live: its depth and rates are elsewhere. */
const KEPT_EVENTS = 100;
/** A day has one data point a minute. */
const RATES_OF_A_DAY = { maxDataPoints: 1_440 };
/** After a lost connection, a worker waits this long before it waits for a job again. */
const RETRY_DELAY_MS = 100;
/** How often an idle worker looks without being woken. An added job is still taken at once. */
const IDLE_LOOK_S = 10;
/** Finished jobs are kept this long for readers, s. */
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

/** Work of a worker that died is begun again, after a look into the ledger. */
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
