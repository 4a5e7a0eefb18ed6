/**
 * Does the work that a job names. A job only says where to look: the ledger is read, and what it says is done. A job
 * for what the ledger does not name fails, and a repeated one finds the work done. Work that no job names is done all
 * the same.
 */
import { setTimeout } from 'node:timers/promises';
import { workWorkerOptions } from '@countersign/runtime/jobs/work-job.js';
import { decodeKeyProgress, keyProgressKey } from '@countersign/runtime/jobs/key-progress.js';
import { freezeQueueName, KEY_GENERATION_QUEUE } from '@countersign/runtime/jobs/names.js';
import type { Replica } from '@countersign/runtime/jobs/replica.js';
import type { LedgerFollower } from '@countersign/runtime/ledger/ledger-follower.js';
import type { Logger } from '@countersign/runtime/process/logger.js';
import { Worker, type Job } from 'bullmq';
import type { Redis } from 'ioredis';
import { CALLER } from './ceremonies/key-ceremonies.js';

const FREEZES_AT_ONCE = 4;
/**
 * A job for what the ledger does not name is forged, or has come before its entry. It takes its time, so that a flood
 * of them does not keep this replica reading.
 */
const UNNAMED_MS = 250;
/** Jobs that wait take no thread: the ceremonies have their own turns. */
const KEYS_AT_ONCE = 16;
const PROGRESS_MS = 1_000;

export interface WorkJobsDeps {
  readonly self: Replica;
  /** The connection for workers alone. */
  readonly redis: Redis;
  readonly follower: Pick<LedgerFollower, 'state' | 'view' | 'catchUp' | 'waitUntil'>;
  readonly lookForKeys: () => void;
  readonly logger: Logger;
}

export interface WorkJobs {
  close(): Promise<void>;
}

export function openWorkJobs(deps: WorkJobsDeps): WorkJobs {
  const { self, redis, follower } = deps;
  let isStopped = false;
  const freezes = openWorker(deps, freezeQueueName(self), FREEZES_AT_ONCE, ({ data }) =>
    lookForFreeze(follower, Number(data)),
  );
  const workers = [freezes];
  if (self.party === CALLER) {
    const keys = openWorker(deps, KEY_GENERATION_QUEUE, KEYS_AT_ONCE, (job) =>
      followKey(deps, job, () => isStopped),
    );
    workers.push(keys);
  }
  return {
    async close() {
      isStopped = true;
      // the next process takes up what is under way
      await Promise.all(workers.map((worker) => worker.close(true)));
      redis.disconnect();
    },
  };
}

function openWorker(
  { redis, logger }: WorkJobsDeps,
  queue: string,
  concurrency: number,
  process: (job: Job<unknown>) => Promise<object>,
): Worker<unknown> {
  const worker = new Worker<unknown>(queue, process, workWorkerOptions(redis, concurrency));
  worker.on('failed', (_job, { message: reason }) =>
    logger.warn({ event: 'work_job_failed', queue, reason }, 'a job came to nothing'),
  );
  worker.on('error', ({ message: reason }) =>
    logger.warn({ event: 'worker_error', queue, reason }, 'worker error'),
  );
  return worker;
}

/** A freeze is obeyed from the moment its entry is seen: this has it seen now. */
async function lookForFreeze(
  follower: WorkJobsDeps['follower'],
  seq: number,
): Promise<{ readonly ledger_seq: number }> {
  if (follower.view.optimistic.seq < seq) await follower.catchUp();
  const { seq: seen } = follower.view.optimistic;
  if (!(seen >= seq)) await refuseSlowly('the ledger has no such entry');
  return { ledger_seq: seen };
}

async function refuseSlowly(reason: string): Promise<never> {
  await setTimeout(UNNAMED_MS, undefined, { ref: false });
  throw new Error(reason);
}

/** Follows the job until the key is there, or never will be. */
async function followKey(
  { follower, redis, lookForKeys }: WorkJobsDeps,
  job: Job<unknown>,
  isStopped: () => boolean,
): Promise<{ readonly status: string }> {
  const keyId = String(job.data);
  if (!follower.state.keys.rows.has(keyId)) await follower.catchUp();
  lookForKeys();
  let told: string | null = null;
  while (!isStopped()) {
    const key = follower.state.keys.rows.get(keyId);
    if (key === undefined) await refuseSlowly('the ledger names no such key');
    const isDone = await follower.waitUntil(
      (state) => !state.keys.indexes.pending.has(keyId),
      PROGRESS_MS,
    );
    if (isDone) {
      await job.updateProgress(100);
      return { status: follower.state.keys.rows.get(keyId)?.status ?? 'removed' };
    }
    const tried = await redis.get(keyProgressKey(keyId));
    const progress = tried === null || tried === told ? undefined : decodeKeyProgress(tried);
    if (progress !== undefined) await job.updateProgress({ ...progress });
    told = tried;
  }
  throw new Error('this process stops');
}
