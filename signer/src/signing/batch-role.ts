import { isSameReplica, type Replica } from '@countersign/runtime/jobs/replica.js';
import type { SignBatch } from '@countersign/runtime/jobs/sign-batch.js';

/**
 * The role of this replica in a batch. Undefined when the batch is not for this process, or when one party would play
 * both roles: its word alone would then be enough.
 */
export function roleIn(
  { lead, partner }: Pick<SignBatch, 'lead' | 'partner'>,
  self: Replica,
): 'lead' | 'partner' | undefined {
  if (lead.party === partner.party) return undefined;
  if (isSameReplica(lead, self)) return 'lead';
  return isSameReplica(partner, self) ? 'partner' : undefined;
}

/** The parties' numbers as records and logs show them, the lead first. */
export function partiesText({ lead, partner }: Pick<SignBatch, 'lead' | 'partner'>): string {
  return `${lead.party},${partner.party}`;
}
