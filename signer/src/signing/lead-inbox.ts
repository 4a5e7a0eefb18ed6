/**
 * Brings together the gateway's job and the partner's contribution for each batch that this replica leads, whichever
 * comes first. Only the partner that the batch names can begin it: contributions of others under the same id wait
 * beside it, unused. Whatever waits too long is dropped: the gateway has given up on it.
 */
import { replicaId, type Replica } from '@countersign/runtime/jobs/replica.js';
import type { SignBatch } from '@countersign/runtime/jobs/sign-batch.js';
import { PartyRooms } from '../channel/party-rooms.js';

const KEEP_MS = 5_000;
/** Bounds for each partner's party: batches that wait for it, and contributions of it that wait for their batch. */
const MAX_BATCHES = 1_024;
const MAX_BATCH_BYTES = 67_108_864;
const MAX_CONTRIBUTIONS = 1_024;
const MAX_CONTRIBUTION_BYTES = 16_777_216;
/** Room counted for an item beside its body. */
const ITEM_BYTES = 1_024;

export interface LeadInbox<Contribution> {
  addBatch(batch: SignBatch): void;
  /** `bytes`: length of the message that brought it. */
  addContribution(from: Replica, batchId: string, contribution: Contribution, bytes: number): void;
}

export function createLeadInbox<Contribution>(
  start: (batch: SignBatch, contribution: Contribution) => void,
  now: () => number,
): LeadInbox<Contribution> {
  const batches = new PartyRooms<SignBatch>(
    { entries: MAX_BATCHES, bytes: MAX_BATCH_BYTES, keepMs: KEEP_MS },
    now,
  );
  const contributions = new PartyRooms<Contribution>(
    { entries: MAX_CONTRIBUTIONS, bytes: MAX_CONTRIBUTION_BYTES, keepMs: KEEP_MS },
    now,
  );

  return {
    addBatch(batch) {
      const { partner, batchId } = batch;
      const name = nameOf(partner, batchId);
      const contribution = contributions.take(partner.party, name);
      if (contribution === undefined) batches.add(partner.party, name, batch, sizeOf(batch));
      else start(batch, contribution);
    },
    addContribution(from, batchId, contribution, bytes) {
      const name = nameOf(from, batchId);
      const batch = batches.take(from.party, name);
      if (batch === undefined) contributions.add(from.party, name, contribution, bytes);
      else start(batch, contribution);
    },
  };
}

/** A gateway chooses the id: two batches of one id with different partners are two. */
function nameOf(partner: Replica, batchId: string): string {
  return `${batchId} ${replicaId(partner)}`;
}

function sizeOf({ items }: SignBatch): number {
  return items.reduce((bytes, { evidence }) => bytes + ITEM_BYTES + evidence.body.length, 0);
}
