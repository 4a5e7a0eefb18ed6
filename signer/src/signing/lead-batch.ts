/** Leads a batch to its end, which is an answer to the gateway whatever happens on the way. */
import type { EvidenceKeys } from '@countersign/core/evidence-key.js';
import { replyChannel } from '@countersign/runtime/jobs/names.js';
import type { SignBatch } from '@countersign/runtime/jobs/sign-batch.js';
import { sealReply, type SignOutcome } from '@countersign/runtime/jobs/sign-outcome.js';
import type { Logger } from '@countersign/runtime/process/logger.js';
import type { PartnerPart } from '../channel/messages.js';

export interface LeadBatchDeps {
  readonly evidenceKeys: EvidenceKeys;
  readonly logger: Logger;
  /** One outcome per item. Rejects when the records cannot be committed. */
  sign(batch: SignBatch, parts: readonly PartnerPart[]): Promise<SignOutcome[]>;
  publish(channel: string, reply: Buffer): Promise<unknown>;
  /** Tells the partner that the batch is over. */
  finish(batch: SignBatch): Promise<void>;
}

/** Never rejects: a gateway that hears nothing decides by its deadline. */
export async function leadBatch(
  deps: LeadBatchDeps,
  batch: SignBatch,
  parts: readonly PartnerPart[],
): Promise<void> {
  const { gatewayId, batchId } = batch;
  try {
    const outcomes = await outcomesOf(deps, batch, parts);
    const reply = { batchId, outcomes: outcomes.map((outcome, index) => ({ index, outcome })) };
    await deps.publish(replyChannel(gatewayId), sealReply(reply, gatewayId, deps.evidenceKeys));
    await deps.finish(batch);
  } catch (error) {
    logFailure(deps.logger, error);
  }
}

/** Where nothing could be recorded nothing may be told either: every item is to be tried again. */
async function outcomesOf(
  { sign, logger }: LeadBatchDeps,
  batch: SignBatch,
  parts: readonly PartnerPart[],
): Promise<SignOutcome[]> {
  try {
    return await sign(batch, parts);
  } catch (error) {
    logFailure(logger, error);
    return batch.items.map(() => ({ outcome: 'retry', reason: 'records not committed' }));
  }
}

function logFailure(logger: Logger, error: unknown): void {
  logger.error({ event: 'lead_failed', reason: String(error) }, 'batch failed');
}
