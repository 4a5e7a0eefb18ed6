/**
 * Decides by what this node knows whether a signing request goes to the parties, before it costs anybody else anything.
 */
import { randomBytes } from 'node:crypto';
import { isRefusal, type Refusal } from '@countersign/core/errors.js';
import type { Evidence } from '@countersign/core/evidence.js';
import { PARTY_NUMBERS } from '@countersign/core/parties.js';
import type { PriceFeed } from '@countersign/runtime/prices/price-feed.js';
import { evaluateSigning } from '@countersign/vault/operations/signing-operation.js';
import type {
  Asking,
  MatchedSigning,
  ReadySigning,
  SigningOperation,
} from '@countersign/vault/operations/signing-operation.js';
import type { AskingRule } from '@countersign/vault/policy/signing-rights.js';
import { isSameVault } from '@countersign/vault/state/same-vault.js';
import type { Answer, SignedExchange } from '../admission/exchange.js';
import { askedNow } from '../requests/asked-request.js';
import { parseIdempotencyKey } from '../requests/idempotency.js';
import { USED_BEFORE } from '../requests/sign-answer.js';
import type { Signing } from './await-signature.js';
import type { Dispatcher } from './dispatcher.js';
import { findEarlier, type EarlierDeps } from './earlier-signing.js';
import { refuseHold, type HoldDeps } from './hold-signing.js';
import type { Presence } from './presence.js';
import { ApiError } from '../http/public-error.js';

/** A signature needs two parties. While fewer are alive callers are told at once, not when their wait is over. */
const PARTIES_NEEDED = 2;

export type AdmitDeps = HoldDeps &
  EarlierDeps & {
    readonly dispatcher: Pick<Dispatcher, 'isUnderWay'>;
    readonly presence: Pick<Presence, 'isAlive'>;
    readonly prices: Pick<PriceFeed, 'current'>;
  };

/** The next step of a request. A refusal of `refuse` is this node's own, and goes on record. */
export type Admitted =
  | { readonly step: 'refuse'; readonly refusal: Refusal }
  | { readonly step: 'answer'; readonly answer: Answer }
  | { readonly step: 'hold'; readonly asked: readonly AskingRule[] }
  | { readonly step: 'sign'; readonly signing: Signing };

/** Throws 504 when nobody can sign it. */
export async function admitSigning(
  deps: AdmitDeps,
  operation: SigningOperation,
  exchange: SignedExchange,
): Promise<Admitted> {
  const { evidence, params, requestId, stages, trace } = exchange;
  const key = parseIdempotencyKey(exchange.request);
  if (isRefusal(key)) return { step: 'refuse', refusal: key };
  const repeated = { operationId: operation.id };
  const earlier = await findEarlier(deps, repeated, exchange, key, 'find');
  if (earlier !== undefined) return earlier;

  const matched = { operation, params };
  const asking = askingNow(deps, exchange);
  const ready = evaluateHere(deps, matched, evidence, asking);
  if (isRefusal(ready)) return { step: 'refuse', refusal: ready };
  const isToWait = ready.asked.length > 0;
  const no = isToWait ? refuseHold(deps, exchange) : undefined;
  if (no !== undefined) return { step: 'refuse', refusal: no };
  if (!isToWait) refuseWithoutParties(deps);

  // only now: a request that was refused has not used its key
  const winner = await findEarlier(deps, repeated, exchange, key, 'claim');
  if (winner !== undefined) return winner;
  if (isToWait) return { step: 'hold', asked: ready.asked };
  // a request comes in again when Redis forgot its nonce: two leads at once would each sign and record its message
  if (deps.dispatcher.isUnderWay(requestId)) return { step: 'answer', answer: USED_BEFORE };
  const submission = randomBytes(16).toString('hex');
  const item = { submission, receivedAt: asking.receivedAt, nonce: 0n, evidence, trace };
  const asked = askedNow(requestId, ready, () => deps.follower.state, stages);
  return { step: 'sign', signing: { ready, asked, item, once: { matched, evidence, asking } } };
}

/** The parties decide what is not known here and what counts against limits. */
export function askingNow(
  { prices, now }: Pick<AdmitDeps, 'prices' | 'now'>,
  { caller }: SignedExchange,
): Asking {
  const known = { ...prices.current(), isLeftToParties: true };
  return { initiator: caller, receivedAt: now(), prices: known };
}

/** Judges by the state in force. What waits to be countersigned, above all a freeze, may deny already. */
export function evaluateHere(
  { follower }: Pick<AdmitDeps, 'follower'>,
  matched: MatchedSigning,
  evidence: Evidence,
  asking: Asking,
): ReadySigning | Refusal {
  const { state, optimistic } = follower.view;
  const ready = evaluateSigning(state, matched, evidence, asking);
  if (isRefusal(ready) || isSameVault(state, optimistic)) return ready;
  const initiator = optimistic.users.rows.get(asking.initiator.id) ?? asking.initiator;
  const atOptimistic = evaluateSigning(optimistic, matched, evidence, { ...asking, initiator });
  return isRefusal(atOptimistic) ? atOptimistic : ready;
}

/** Throws 504 while fewer parties are alive than a signature needs. */
export function refuseWithoutParties({ presence }: Pick<AdmitDeps, 'presence'>): void {
  const alive = PARTY_NUMBERS.filter((party) => presence.isAlive(party));
  if (alive.length < PARTIES_NEEDED) {
    throw new ApiError('gateway_timeout', 'fewer than two signers can be reached', {
      retryAfterS: 1,
    });
  }
}
