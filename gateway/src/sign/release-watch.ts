/**
 * Has the parties sign what the ledger says is approved. The gateway that puts it on record first sends it. What that
 * gateway leaves undone is the sweeper's, as with every request that was answered 202.
 */
import { randomBytes } from 'node:crypto';
import { isRefusal } from '@countersign/core/errors.js';
import type { EvidenceKeys } from '@countersign/core/evidence-seal.js';
import type { LedgerFollower } from '@countersign/runtime/ledger/ledger-follower.js';
import type { SignItem } from '@countersign/runtime/jobs/sign-batch.js';
import type { Logger } from '@countersign/runtime/process/logger.js';
import { heldEvidence } from '@countersign/vault/operations/held-evidence.js';
import { refuseUnreleased } from '@countersign/vault/policy/released-approvals.js';
import type { PendingRequest } from '@countersign/vault/state/state.js';
import { askedBefore, type AskedRequest } from '../requests/asked-request.js';
import type { Dispatcher } from './dispatcher.js';
import type { SigningRequests } from './signing-requests.js';
import { openTicks } from '@countersign/runtime/process/ticks.js';

export interface ReleaseDeps {
  readonly follower: Pick<LedgerFollower, 'state'>;
  readonly requests: Pick<SigningRequests, 'accept'>;
  readonly dispatcher: Pick<Dispatcher, 'submit'>;
  readonly evidenceKeys: EvidenceKeys;
  readonly logger: Logger;
  readonly now: () => number;
}

const LOOK_AGAIN_MS = 1_000;
/**
 * A release may lie so far ahead of this gateway's clock. Parties accept one a minute ahead of theirs. A gateway that
 * allowed more than they do would record requests that they do not sign yet, and let them expire.
 */
const EARLIEST_MS = 5_000;

/** Looks whenever the ledger has moved on, and every second for what could not be put on record. */
export function openReleaseWatch(
  deps: ReleaseDeps,
  { onOutcomes }: Pick<LedgerFollower, 'onOutcomes'>,
): { stop(): void } {
  const taken = new Set<string>();
  const look = () => void sendReleased(deps, taken);
  onOutcomes(look);
  return openTicks(LOOK_AGAIN_MS, look);
}

/** `taken`: ids of requests that are on record, or about to be. Never rejects. */
export async function sendReleased(deps: ReleaseDeps, taken: Set<string>): Promise<void> {
  const { pendingRequests } = deps.follower.state;
  const { released } = pendingRequests.indexes;
  for (const id of taken) if (!released.has(id)) taken.delete(id);
  const fresh = [...released].filter((id) => !taken.has(id));
  await Promise.all(
    fresh.map(async (id) => {
      taken.add(id);
      try {
        // too early by this gateway's clock, or over for good: it is looked at again
        if (!(await send(deps, pendingRequests.rows.get(id)!))) taken.delete(id);
      } catch (error) {
        taken.delete(id);
        const fields = { event: 'release_not_sent', request_id: id, reason: String(error) };
        deps.logger.warn(fields, 'an approved request could not be put on record');
      }
    }),
  );
}

/** Whether it need not be looked at again: it is on record, or cannot be sent. */
async function send(
  { follower, requests, dispatcher, evidenceKeys, now }: ReleaseDeps,
  row: PendingRequest,
): Promise<boolean> {
  if ((row.releasedAt ?? 0) > now() + EARLIEST_MS) return false;
  if (refuseUnreleased(row, now()) !== undefined) return false;
  const evidence = heldEvidence(row, evidenceKeys);
  const asked = evidence && askedBefore(evidence, () => follower.state);
  if (evidence === undefined || asked === undefined || isRefusal(asked)) return true;
  const submission = randomBytes(16).toString('hex');
  const item: SignItem = { submission, receivedAt: now(), nonce: 0n, evidence };
  const { operation, createdBy, id: requestId } = row;
  const isMine = await requests.accept({ requestId, operation, createdBy, item });
  if (isMine) void dispatcher.submit(item, asked satisfies AskedRequest);
  return true;
}
