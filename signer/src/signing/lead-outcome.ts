/** What becomes of an item that a party leads: from what was decided and computed to what the gateway is told. */
import type { PartyNumber } from '@countersign/core/parties.js';
import type {
  DeniedOutcome,
  RetryOutcome,
  Unproven,
} from '@countersign/runtime/jobs/sign-outcome.js';
import type { VaultState } from '@countersign/vault/state/state.js';
import type { PartnerPart } from '../channel/messages.js';
import type { LeadResult } from '../threads/thread-tasks.js';
import { findDenial, type Reviewed } from './review-item.js';

export type LeadFailure = Extract<LeadResult, { ok: false }>['reason'];

/** What the lead would say of an item: what is decided is still to be proven. */
export type Draft = Unproven | RetryOutcome;

export function retry(reason: string, nonce = 0n): RetryOutcome {
  return { outcome: 'retry', reason, nonce, isPartnerAtFault: false };
}

/** The partner did what no honest party does. */
export function partnerAtFault(reason: string): RetryOutcome {
  return { ...retry(reason), isPartnerAtFault: true };
}

/**
 * A no of both parties is final. What one of them alone denies is tried again, with others: a party by itself can stop
 * nothing, and one that has seen a freeze first is soon no longer alone with it.
 */
export function draftWithoutMaths(
  { item, verdict, requestId }: Reviewed,
  part: PartnerPart,
  parties: readonly [PartyNumber, PartyNumber],
): DraftDenial | RetryOutcome {
  if (verdict.kind === 'ready') {
    if (part.kind === 'denied') return retry('only the partner denies it');
    return retry(part.kind === 'retry' ? part.reason : 'not combined');
  }
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

/** What the partner did wrong may be right the next time, and with another one. */
export function outcomeOfFailure(reason: LeadFailure): RetryOutcome {
  return isMisbehaviour(reason) ? partnerAtFault(reason) : retry(reason);
}

/**
 * What a signed item comes to when this party has seen what denies it; undefined when nothing it has seen does.
 * It is decided anew: both parties will have seen it then. `now` in ms.
 */
export function overtakenBy(
  seen: readonly VaultState[],
  review: Reviewed,
  now: number,
): RetryOutcome | undefined {
  // it was signed before, and is asked for again against what denies it now: it is not given out anew
  if (review.verdict.kind !== 'ready') return retry('denied since it was signed');
  return findDenial(seen, review, now) === undefined ? undefined : retry('denied meanwhile');
}
