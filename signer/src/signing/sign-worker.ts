/** This replica's BullMQ worker: takes sealed batches and gives each to the role it names us for. */
import type { EvidenceKeys } from '@countersign/core/evidence-seal.js';
import { createJobBackend } from '@countersign/runtime/jobs/job-backend.js';
import { createQueueFigures } from '@countersign/runtime/jobs/queue-figures.js';
import { signQueueName } from '@countersign/runtime/jobs/names.js';
import { openSignBatch, type SignBatch } from '@countersign/runtime/jobs/sign-batch.js';
import { ForeignVersionError } from '@countersign/runtime/jobs/protocol.js';
import type { Replica } from '@countersign/runtime/jobs/replica.js';
import type { Alarms } from '@countersign/runtime/alarms/alarms.js';
import type { Logger } from '@countersign/runtime/process/logger.js';
import { Worker } from 'bullmq';
import type { Redis } from 'ioredis';
import { roleIn } from './batch-role.js';
import { withCheckedTokens, type TokenChecks } from './checked-tokens.js';

const CONCURRENCY = 8;
/** How often an idle worker asks anew, s: an added job is taken at once. */
const IDLE_LOOK_S = 10;

export interface SignWorkerDeps extends TokenChecks {
  readonly self: Replica;
  readonly redis: Redis;
  readonly evidenceKeys: EvidenceKeys;
  readonly logger: Logger;
  readonly alarms: Alarms;
  lead(batch: SignBatch): void;
  partner(batch: SignBatch): Promise<void>;
}

export function openSignWorker(deps: SignWorkerDeps): { close(): Promise<void> } {
  const { self, logger } = deps;

  async function process(data: unknown): Promise<void> {
    const opened = openJob(data, deps);
    const batch = await withCheckedTokens(deps, opened);
    const role = roleIn(batch, self);
    if (role === 'lead') deps.lead(batch);
    if (role === 'partner') await deps.partner(batch);
  }

  const figures = createQueueFigures(deps.redis, signQueueName(self), Date.now);
  const worker = new Worker(
    signQueueName(self),
    async (job) => {
      try {
        await figures.follow(() => process(job.data));
      } catch (error) {
        // the gateway is told what becomes of a job's requests, or its deadline decides
        logger.error({ event: 'sign_job_failed', reason: String(error) }, 'signing job failed');
      }
    },
    {
      connection: deps.redis,
      concurrency: CONCURRENCY,
      drainDelay: IDLE_LOOK_S,
      skipVersionCheck: true,
      skipLockRenewal: true,
      skipStalledCheck: true,
    },
    createJobBackend,
  );
  worker.on('error', (error) =>
    logger.warn({ event: 'worker_error', reason: error.message }, 'worker error'),
  );
  return {
    close() {
      figures.stop();
      return worker.close();
    },
  };
}

/**
 * A job that does not open was not sealed by a gateway: it fails, with an alarm. One of a version that this process does
 * not speak fails without: a gateway of another release may have sealed it.
 */
function openJob(data: unknown, deps: SignWorkerDeps): SignBatch {
  const evidence = Buffer.from(String(data), 'base64');
  try {
    return openSignBatch(evidence, deps.evidenceKeys);
  } catch (error) {
    if (error instanceof ForeignVersionError) throw error;
    deps.alarms.raise({ kind: 'forged_job', reason: `does not open: ${String(error)}`, evidence });
    throw new Error('no gateway sealed it', { cause: error });
  }
}
