import type { EvidenceKeys } from '@countersign/core/evidence-key.js';
import type { SignBatch } from '@countersign/runtime/jobs/sign-batch.js';
import type { Replica } from '@countersign/runtime/jobs/replica.js';
import type { LedgerFollower } from '@countersign/runtime/ledger/ledger-follower.js';
import type { Logger } from '@countersign/runtime/process/logger.js';
import type { PartyMessage } from '../channel/messages.js';
import type { NonceStore } from '../records/venue-nonce-store.js';
import type { RecordWriter } from '../records/record-writer.js';
import type { ShareStore } from '../records/share-store.js';
import type { ThreadPools } from '../threads/thread-pools.js';

/** What both roles of a signing party work with. */
export interface PartyContext {
  readonly self: Replica;
  readonly follower: LedgerFollower;
  readonly threads: ThreadPools;
  readonly shares: ShareStore;
  readonly nonces: NonceStore;
  readonly records: RecordWriter;
  readonly evidenceKeys: EvidenceKeys;
  readonly logger: Logger;
  readonly now: () => number;
  send(to: Replica, message: PartyMessage): Promise<void>;
}

/** A fold older than this has been overtaken for all the party knows: it signs nothing over it. */
export const LEASE_MS = 1_000;
const FOLD_WAIT_MS = 1_000;

/** Whether the fold holds what the gateway saw, and is confirmed against the database's head. */
export async function isFoldCurrent(
  { follower, now }: PartyContext,
  ledgerSeq: number,
): Promise<boolean> {
  if (follower.state.seq < ledgerSeq) {
    await follower.catchUp().catch(() => undefined);
    if (!(await follower.waitUntil((state) => state.seq >= ledgerSeq, FOLD_WAIT_MS))) return false;
  }
  if (now() - follower.confirmedAt < LEASE_MS) return true;
  await follower.catchUp().catch(() => undefined);
  return now() - follower.confirmedAt < LEASE_MS;
}

export function partiesText({ lead, partner }: SignBatch): string {
  return `${lead.party},${partner.party}`;
}
