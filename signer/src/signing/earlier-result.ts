/** Checks the results that other leads, or this one before, recorded for a request: each is a mere claim. */
import {
  decodeRecorded,
  findOutcomeFault,
  openSigningDetails,
  type RecordedOutcome,
} from '@countersign/runtime/jobs/sign-outcome.js';
import { findSignatureFault } from '@countersign/vault/operations/signature-fault.js';
import type { StoredResult } from '../records/record-entry.js';
import type { PartyContext } from './party-context.js';
import type { Reviewed } from './review-item.js';

/** Returns the first result that holds. Raises an alarm for each that does not; such a result hurts nobody. */
export function findEarlierResult(
  context: PartyContext,
  review: Reviewed,
  results: readonly StoredResult[],
): RecordedOutcome | undefined {
  const { requestId } = review;
  let earlier: RecordedOutcome | undefined;
  for (const { lead, payload } of results) {
    const checked = checkResult(context, review, payload);
    if (checked.fault === undefined) earlier ??= checked.outcome;
    else {
      const { kind, fault: reason } = checked;
      context.alarms.raise({ kind, party: partyOf(lead), requestId, reason, evidence: payload });
    }
  }
  return earlier;
}

type Checked =
  | { readonly fault: undefined; readonly outcome: RecordedOutcome }
  | { readonly fault: string; readonly kind: 'unreadable_row' | 'forged_result' };

function checkResult(context: PartyContext, review: Reviewed, payload: Buffer): Checked {
  try {
    const outcome = decodeRecorded(payload);
    const fault = findFault(context, review, outcome);
    return fault === undefined ? { fault, outcome } : { fault, kind: 'forged_result' };
  } catch (error) {
    return { fault: String(error), kind: 'unreadable_row' };
  }
}

function findFault(
  { follower, verifyParty, evidenceKeys }: PartyContext,
  { item, requestId, verdict }: Reviewed,
  outcome: RecordedOutcome,
): string | undefined {
  const { genesisHash } = follower.state;
  const askedAt = item.evidence.timestampMs;
  const fault = findOutcomeFault(outcome, requestId, { genesisHash, verifyParty, askedAt });
  if (fault !== undefined || outcome.outcome !== 'signed' || verdict.kind !== 'ready') return fault;
  const { receipt, details, signature } = outcome;
  const { key, scheme, messageAt } = verdict.signing;
  const { nonce } = openSigningDetails(details, receipt, evidenceKeys);
  const message = messageAt({ at: receipt.signedAt, nonce, requestId });
  return findSignatureFault({ key, scheme, message, signature, receipt });
}

function partyOf(lead: number): 1 | 2 | 3 | undefined {
  return lead === 1 || lead === 2 || lead === 3 ? lead : undefined;
}
