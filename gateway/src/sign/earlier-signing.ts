/** Finds the request that already has an idempotency key, and its answer. */
import { isRefusal, type Refusal } from '@countersign/core/errors.js';
import type { EvidenceKeys } from '@countersign/core/evidence-seal.js';
import { SIGN_TIME_TO_LIVE_MS } from '@countersign/runtime/jobs/names.js';
import type { LedgerFollower } from '@countersign/runtime/ledger/ledger-follower.js';
import type { Answer, SignedExchange } from '../admission/exchange.js';
import type { CheckedResults } from '../requests/checked-results.js';
import type { IdempotencyStore, Repeat } from '../requests/idempotency.js';
import { answerOfSignResult, refusalOfDenied, refuseWhileFrozen } from '../requests/sign-answer.js';
import { answerOfHeld } from './hold-signing.js';
import type { SigningRequests } from './signing-requests.js';

/**
 * A request without a result that nobody was told to wait for can get none after this long. No party signs past its
 * time to live, and its gateway died before it could answer.
 */
export const ABANDONED_AFTER_MS = SIGN_TIME_TO_LIVE_MS + 15_000;

export interface EarlierDeps {
  readonly follower: Pick<LedgerFollower, 'state' | 'view'>;
  readonly idempotency: IdempotencyStore;
  readonly results: Pick<CheckedResults, 'find'>;
  readonly signingRequests: Pick<SigningRequests, 'isAccepted'>;
  readonly evidenceKeys: EvidenceKeys;
}

export type Earlier =
  | { readonly step: 'refuse'; readonly refusal: Refusal }
  | { readonly step: 'answer'; readonly answer: Answer };

export interface RepeatedOperation {
  readonly operationId: string;
  /** How a request answers that had the key before; undefined while it has not ended. Absent: as one signature. */
  readonly answerOf?: AnswerOfEarlier;
}

export type AnswerOfEarlier = (earlier: Repeat, callerId: string) => Promise<Answer | undefined>;

/**
 * Undefined if the request has no key, or may use it: `find` only looks, `claim` takes the key from now on.
 */
export async function findEarlier(
  deps: EarlierDeps,
  { operationId, answerOf = answerOfEarlier(deps) }: RepeatedOperation,
  { caller, evidence, requestId }: SignedExchange,
  key: string | undefined,
  step: 'find' | 'claim',
): Promise<Earlier | undefined> {
  if (key === undefined) return undefined;
  const claim = await deps.idempotency[step](key, caller.id, evidence, requestId);
  if (isRefusal(claim)) return { step: 'refuse', refusal: claim };
  if (claim.kind === 'first') return undefined;
  const answer =
    (await answerOf(claim, caller.id)) ?? answerOfHeld(deps.follower.state, claim.requestId);
  if (answer !== undefined) return { step: 'answer', answer };
  const isAbandoned =
    claim.ageMs > ABANDONED_AFTER_MS && !(await deps.signingRequests.isAccepted(claim.requestId));
  if (isAbandoned && step === 'find') return undefined;
  const isMine =
    isAbandoned && (await deps.idempotency.takeOver(key, caller.id, claim.requestId, requestId));
  if (isMine) return undefined;
  await deps.idempotency.promise(claim, operationId, caller.id);
  return { step: 'answer', answer: { status: 202, requestId: claim.requestId } };
}

/** Undefined while there is no result. */
function answerOfEarlier({ results, follower, evidenceKeys }: EarlierDeps): AnswerOfEarlier {
  return async ({ requestId }, callerId) => {
    const stored = await results.find(requestId);
    if (stored === undefined) return undefined;
    const { asked, outcome } = stored;
    if (outcome.outcome === 'denied') return refusalOfDenied(outcome);
    const frozen = refuseWhileFrozen(follower.view.optimistic, outcome, callerId);
    if (frozen !== undefined) return frozen;
    return { status: 200, body: answerOfSignResult(asked, outcome, evidenceKeys), requestId };
  };
}
