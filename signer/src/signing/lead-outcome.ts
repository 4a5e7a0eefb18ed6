/** Turns what a lead decided and computed for an item into the outcome that the gateway is told. */
import type { PartyNumber } from '@countersign/core/parties.js';
import type {
  DeniedOutcome,
  RetryOutcome,
  Unproven,
} from '@countersign/runtime/jobs/sign-outcome.js';
import type { VaultState } from '@countersign/vault/state/state.js';
import type { PartnerPart } from '../channel/messages.js';
import type { LeadResult } from '../threads/thread-tasks.js';
import { findDenial, isPostponed, type Reviewed } from './review-item.js';

export type LeadFailure = Extract<LeadResult, { ok: false }>['reason'];

/** What the lead would say of an item. A decision is still without its proofs. */
export type Draft = Unproven | RetryOutcome;

export function retry(reason: string, nonce = 0n): RetryOutcome {
  return { outcome: 'retry', reason, nonce, isPartnerAtFault: false };
}

/** The partner did what no honest party does. */
export function partnerAtFault(reason: string): RetryOutcome {
  return { ...retry(reason), isPartnerAtFault: true };
}

/**
 * A denial by both parties is final. If only one denies, the request is tried again with others: a party alone can stop
 * nothing, and if it saw a freeze first, the others soon see it too. What this party has only postponed it never calls
 * denied.
 */
export function draftWithoutMaths(
  review: Reviewed,
  part: PartnerPart,
  parties: readonly [PartyNumber, PartyNumber],
): DraftDenial | RetryOutcome {
  const { item, verdict, requestId } = review;
  if (verdict.kind === 'ready') {
    if (part.kind === 'denied') return retry('only the partner denies it');
    return retry(part.kind === 'retry' ? part.reason : 'not combined');
  }
  if (isPostponed(review)) return retry(verdict.refusal.message);
  if (part.kind !== 'denied') return retry('only the lead denies it');
  const { refused: errType, message: reason } = verdict.refusal;
  const { submission } = item;
  return { outcome: 'denied', requestId, submission, parties, errType, reason };
}

type DraftDenial = Unproven<DeniedOutcome>;

/** Whether the partner did something that no honest party does. */
export function isMisbehaviour(reason: LeadFailure): boolean {
  return reason === 'partner-share';
}

/** What went wrong may go right the next time, and with another partner. */
export function outcomeOfFailure(reason: LeadFailure): RetryOutcome {
  return isMisbehaviour(reason) ? partnerAtFault(reason) : retry(reason);
}

/**
 * The outcome of a signed item if this party has since seen something that denies it; otherwise undefined. The request
 * is decided anew, when both parties will have seen it. `now` in ms.
 */
export function overtakenBy(
  seen: readonly VaultState[],
  review: Reviewed,
  now: number,
): RetryOutcome | undefined {
  // it was signed before and is denied now: it is not given out anew
  if (review.verdict.kind !== 'ready') return retry('denied since it was signed');
  return findDenial(seen, review, now) === undefined ? undefined : retry('denied meanwhile');
}
