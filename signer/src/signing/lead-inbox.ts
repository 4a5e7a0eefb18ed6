/**
 * Brings together, for each batch that this replica leads, the gateway's job and the partner's
 * contribution, whichever comes first. What waits too long is dropped: the gateway has given up on it.
 */

import type { SignBatch } from '@countersign/runtime/jobs/sign-batch.js';
import { isSameReplica, type Replica } from '@countersign/runtime/jobs/replica.js';
import type { Contribution } from '../channel/messages.js';

const KEEP_MS = 5_000;
const MAX_WAITING = 4_096;

interface Waiting {
  batch?: SignBatch;
  contribution?: { readonly from: Replica; readonly given: Contribution };
  readonly since: number;
}

export interface LeadInbox {
  addBatch(batch: SignBatch): void;
  addContribution(from: Replica, batchId: string, given: Contribution): void;
}

export function createLeadInbox(
  start: (batch: SignBatch, contribution: Contribution) => void,
  now: () => number,
): LeadInbox {
  const waiting = new Map<string, Waiting>();

  function entry(batchId: string): Waiting {
    const known = waiting.get(batchId);
    if (known !== undefined) return known;
    dropOld();
    const fresh: Waiting = { since: now() };
    waiting.set(batchId, fresh);
    return fresh;
  }

  function dropOld(): void {
    for (const [batchId, { since }] of waiting) {
      const isOld = now() - since > KEEP_MS;
      if (!isOld && waiting.size < MAX_WAITING) return;
      waiting.delete(batchId);
    }
  }

  function tryStart(batchId: string, { batch, contribution }: Waiting): void {
    if (batch === undefined || contribution === undefined) return;
    waiting.delete(batchId);
    if (isSameReplica(contribution.from, batch.partner)) start(batch, contribution.given);
  }

  return {
    addBatch(batch) {
      const waitingFor = entry(batch.batchId);
      waitingFor.batch ??= batch;
      tryStart(batch.batchId, waitingFor);
    },
    addContribution(from, batchId, given) {
      const waitingFor = entry(batchId);
      waitingFor.contribution ??= { from, given };
      tryStart(batchId, waitingFor);
    },
  };
}
