/** What becomes of an item that a party leads: from what was decided and computed to what the gateway is told. */
import { INVALID_CREDENTIALS } from '@countersign/vault/authentication/authenticate.js';
import { isRefusal, refuse, type Refusal } from '@countersign/core/errors.js';
import type { SignOutcome } from '@countersign/runtime/jobs/sign-outcome.js';
import { evaluateSigning } from '@countersign/vault/operations/signing-operation.js';
import { findSigningOperation } from '@countersign/vault/operations/signing-operations.js';
import type { VaultState } from '@countersign/vault/state/state.js';
import type { PartnerPart } from '../channel/messages.js';
import type { EarlierResult } from '../records/record-entry.js';
import type { LeadResult } from '../threads/thread-tasks.js';
import type { Reviewed } from './review-item.js';

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
 * What a signed item comes to when the state has moved on since it was reviewed; undefined when what was
 * decided still holds. A freeze that came during the maths counts.
 */
export function overtakenBy(state: VaultState, review: Reviewed): SignOutcome | undefined {
  const { item, verdict, ledgerSeq } = review;
  if (ledgerSeq === state.seq || verdict.kind !== 'ready') return undefined;
  const { evidence } = item;
  const matched = findSigningOperation(evidence.method, evidence.path)!;
  const caller = state.users.rows.get(verdict.caller.id);
  if (caller === undefined || caller.frozen !== null) {
    return denied(refuse('unauthorized', INVALID_CREDENTIALS));
  }
  const again = evaluateSigning(state, matched, evidence, caller);
  return isRefusal(again) ? denied(again) : undefined;
}

/** The same delivery again gets the stored result; the same request in a new guise is a replay. */
export function outcomeOfEarlier(earlier: EarlierResult, submission: string): SignOutcome {
  return earlier.submission === submission
    ? earlier.outcome
    : { outcome: 'denied', errType: 'unauthorized', reason: 'the request was used before' };
}
