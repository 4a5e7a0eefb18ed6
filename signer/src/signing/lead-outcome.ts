/** What becomes of an item that a party leads: from what was decided and computed to what the gateway is told. */
import { INVALID_CREDENTIALS } from '@countersign/vault/authentication/authenticate.js';
import { refuse, type Refusal } from '@countersign/core/errors.js';
import type { SignOutcome } from '@countersign/runtime/jobs/sign-outcome.js';
import type { VaultState } from '@countersign/vault/state/state.js';
import type { PartnerPart } from '../channel/messages.js';
import type { EarlierResult } from '../records/record-entry.js';
import type { LeadResult } from '../threads/thread-tasks.js';
import { findDenial, type Reviewed } from './review-item.js';

export type LeadFailure = Extract<LeadResult, { ok: false }>['reason'];

export function retry(reason: string): SignOutcome {
  return { outcome: 'retry', reason };
}

function denied({ refused, message }: Refusal): SignOutcome {
  return { outcome: 'denied', errType: refused, reason: message };
}

/** Either party's no is final; a ready item without a contribution is tried again. */
export function outcomeWithoutMaths({ verdict }: Reviewed, part: PartnerPart): SignOutcome {
  if (verdict.kind !== 'ready') return denied(verdict.refusal);
  if (part.kind === 'denied') {
    return { outcome: 'denied', errType: part.errType, reason: part.reason };
  }
  return retry(part.kind === 'retry' ? part.reason : 'not combined');
}

/** The caller did not sign it: that is final. What the other party did wrong may be right the next time. */
export function outcomeOfFailure(reason: LeadFailure): SignOutcome {
  return reason === 'assertion'
    ? denied(refuse('unauthorized', INVALID_CREDENTIALS))
    : retry(reason);
}

/** Whether the partner did something that no honest party does. */
export function isMisbehaviour(reason: LeadFailure): boolean {
  return reason === 'partner-share' || reason === 'partner-receipt';
}

/**
 * What a signed item comes to when this party has seen what denies it; undefined when nothing it has seen does.
 * `now` in ms.
 */
export function overtakenBy(
  seen: readonly VaultState[],
  review: Reviewed,
  now: number,
): SignOutcome | undefined {
  // it was signed before, and is asked for again against what denies it now: it is not given out anew
  if (review.verdict.kind !== 'ready') return denied(review.verdict.refusal);
  const refusal = findDenial(seen, review, now);
  return refusal === undefined ? undefined : denied(refusal);
}

/** The same delivery again gets the stored result; the same request in a new guise is a replay. */
export function outcomeOfEarlier(earlier: EarlierResult, submission: string): SignOutcome {
  return earlier.submission === submission
    ? earlier.outcome
    : { outcome: 'denied', errType: 'unauthorized', reason: 'the request was used before' };
}
