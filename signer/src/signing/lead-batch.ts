/** Leads a batch to its end, and answers the gateway whatever happens on the way. */
import type { EvidenceKeys } from '@countersign/core/evidence-seal.js';
import { replyChannel } from '@countersign/runtime/jobs/names.js';
import type { SignBatch } from '@countersign/runtime/jobs/sign-batch.js';
import {
  retryMessage,
  sealReply,
  type SignOutcome,
} from '@countersign/runtime/jobs/sign-outcome.js';
import type { Logger } from '@countersign/runtime/process/logger.js';
import type { Contribution } from '../channel/messages.js';
import { retry } from './lead-outcome.js';

export interface LeadBatchDeps {
  readonly evidenceKeys: EvidenceKeys;
  readonly genesisHash: string;
  readonly logger: Logger;
  /** One outcome per item. Rejects when the records cannot be committed. */
  sign(batch: SignBatch, contribution: Contribution): Promise<SignOutcome[]>;
  /** Signs with this party's identity key: 64 bytes. */
  signIdentity(message: Uint8Array): Promise<Uint8Array>;
  publish(channel: string, reply: Buffer): Promise<unknown>;
  /** Tells the partner that the batch is over. */
  finish(batch: SignBatch): Promise<void>;
}

/** Never rejects: a gateway that hears nothing decides by its deadline. */
export async function leadBatch(
  deps: LeadBatchDeps,
  batch: SignBatch,
  contribution: Contribution,
): Promise<void> {
  const { version, gatewayId, batchId } = batch;
  try {
    const outcomes = (await outcomesOf(deps, batch, contribution)).map((outcome, index) => ({
      index,
      outcome,
    }));
    const isRetried = outcomes.some(({ outcome }) => outcome.outcome === 'retry');
    const retrySignature = isRetried
      ? await deps.signIdentity(retryMessage({ batchId, outcomes }, deps.genesisHash))
      : new Uint8Array();
    const reply = { version, batchId, outcomes, retrySignature };
    const sealed = sealReply(reply, gatewayId, deps.evidenceKeys);
    // one connection carries both, so Redis keeps their order; waiting in between would wake this process once more
    await Promise.all([deps.publish(replyChannel(gatewayId), sealed), deps.finish(batch)]);
  } catch (error) {
    logFailure(deps.logger, error);
  }
}

/** If nothing could be recorded, no outcome may be told: every item is to be tried again. */
async function outcomesOf(
  { sign, logger }: LeadBatchDeps,
  batch: SignBatch,
  contribution: Contribution,
): Promise<SignOutcome[]> {
  try {
    return await sign(batch, contribution);
  } catch (error) {
    logFailure(logger, error);
    return batch.items.map(() => retry('records not committed'));
  }
}

function logFailure(logger: Logger, error: unknown): void {
  logger.error({ event: 'lead_failed', reason: String(error) }, 'batch failed');
}
