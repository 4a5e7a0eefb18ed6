import { isSameReplica, type Replica } from '@countersign/runtime/jobs/replica.js';
import type { SignBatch } from '@countersign/runtime/jobs/sign-batch.js';

/**
 * What this replica is to do with a batch: undefined when the batch is not for this process, or when one
 * party is to play both roles, which would make one party's word enough.
 */
export function roleIn(
  { lead, partner }: Pick<SignBatch, 'lead' | 'partner'>,
  self: Replica,
): 'lead' | 'partner' | undefined {
  if (lead.party === partner.party) return undefined;
  if (isSameReplica(lead, self)) return 'lead';
  return isSameReplica(partner, self) ? 'partner' : undefined;
}

/** As records and logs name them: the lead first. */
export function partiesText({ lead, partner }: Pick<SignBatch, 'lead' | 'partner'>): string {
  return `${lead.party},${partner.party}`;
}
