/** A request for a signature: a fast no from this node's fold, then the parties. */
import { randomBytes } from 'node:crypto';
import { ApiError, isRefusal, refuse, type Refusal } from '@countersign/core/errors.js';
import { sealEvidence, type Evidence } from '@countersign/core/evidence.js';
import type { EvidenceKeys } from '@countersign/core/evidence-key.js';
import type { LedgerFollower } from '@countersign/runtime/ledger/ledger-follower.js';
import { SIGN_TIME_TO_LIVE_MS } from '@countersign/runtime/jobs/names.js';
import type { PriceFeed } from '@countersign/runtime/prices/price-feed.js';
import type { SignItem } from '@countersign/runtime/jobs/sign-batch.js';
import type { DeniedOutcome, RecordedOutcome } from '@countersign/runtime/jobs/sign-outcome.js';
import { PARTY_NUMBERS } from '@countersign/core/parties.js';
import { evaluateSigning, refuseFrozen } from '@countersign/vault/operations/signing-operation.js';
import type {
  Asking,
  MatchedSigning,
  ReadySigning,
  SigningOperation,
} from '@countersign/vault/operations/signing-operation.js';
import { isReasonOfRules } from '@countersign/vault/policy/signing-policy.js';
import { NOT_HELD } from '@countersign/vault/policy/signing-approvals.js';
import type { AskingRule } from '@countersign/vault/policy/signing-rights.js';
import { isSameVault } from '@countersign/vault/state/state.js';
import type { RefusalRecorder } from '../requests/refusal-recorder.js';
import { refuseCaller } from '../requests/refuse-caller.js';
import { sayingUndecided } from '../requests/undecided.js';
import { MAX_REFUSED_EVIDENCE } from '../requests/refused-request.js';
import type { Answer, SignedExchange } from '../admission/exchange.js';
import { parseIdempotencyKey, type IdempotencyStore } from '../requests/idempotency.js';
import { preferredWaitMs } from '../http/prefer.js';
import { askedNow, laneOf, type AskedRequest, type Lane } from '../requests/asked-request.js';
import type { CheckedResults } from '../requests/checked-results.js';
import { answerOfSignResult, refuseWhileFrozen } from '../requests/sign-answer.js';
import type { Dispatcher } from './dispatcher.js';
import type { Presence } from './presence.js';
import { answerOfHeld, holdSigning, refuseHold } from './hold-signing.js';
import type { LedgerWriter } from '../govern/ledger-writer.js';
import type { OwnEntries } from '../admission/own-entries.js';
import type { SigningRequests } from './signing-requests.js';

const DEFAULT_WAIT_MS = 2_000;
/**
 * A request without a result that nobody was told to wait for: after this long it can no longer come to one,
 * because no party signs past its time-to-live, and its gateway has died before it could answer.
 */
const ABANDONED_AFTER_MS = SIGN_TIME_TO_LIVE_MS + 15_000;
const USED_BEFORE = refuse('unauthorized', 'the request was used before');
/** Beyond this many unfinished requests a new one could not be signed in time. */
const MAX_PENDING = 20_000;
/** To sign. Who asks while there are fewer learns it at once, not when the wait is over. */
const PARTIES_NEEDED = 2;

export interface SigningDeps {
  readonly follower: Pick<LedgerFollower, 'state' | 'view'>;
  readonly ledger: LedgerWriter;
  readonly dispatcher: Pick<
    Dispatcher,
    'submit' | 'isUnderWay' | 'pending' | 'isOverloaded' | 'isCrowded'
  >;
  readonly presence: Pick<Presence, 'isAlive'>;
  readonly signingRequests: Pick<SigningRequests, 'accept' | 'acceptLater' | 'isAccepted'>;
  /** Counts what a request came to whose answer did not say it. */
  readonly tally: { end(operationId: string, result: Result): void };
  readonly results: Pick<CheckedResults, 'find'>;
  readonly idempotency: IdempotencyStore;
  readonly refusals: RefusalRecorder;
  readonly ownEntries: OwnEntries;
  readonly evidenceKeys: EvidenceKeys;
  readonly prices: Pick<PriceFeed, 'current'>;
  readonly now: () => number;
}

/**
 * Resolves to 200 with the signature, to 202 when it takes longer than the caller waits, or to a refusal:
 * this node's own is recorded here, the parties' by them. Throws 504 when nobody can sign or a store
 * cannot be reached.
 */
export async function handleSigningOperation(
  deps: SigningDeps,
  operation: SigningOperation,
  exchange: SignedExchange,
): Promise<Answer> {
  const { caller, evidence, params, requestId } = exchange;
  const key = parseIdempotencyKey(exchange.request);
  if (isRefusal(key)) return refused(deps, operation, exchange, key);
  const earlier = await findEarlier(deps, exchange, key, 'find');
  if (isRefusal(earlier)) return refused(deps, operation, exchange, earlier);
  if (earlier !== undefined) return earlier;
  const matched = { operation, params };
  // a fast no by what is known here; what is not known here, and what counts, is for the parties to say
  const prices = { ...deps.prices.current(), isLeftToParties: true };
  const asking = { initiator: caller, receivedAt: deps.now(), prices };
  const ready = evaluateSigning(deps.follower.state, matched, evidence, asking);
  if (isRefusal(ready)) return refused(deps, operation, exchange, ready);
  const overtaken = findDenialAtTip(deps, matched, evidence, asking);
  if (overtaken !== undefined) return refused(deps, operation, exchange, overtaken);
  const no = ready.asked.length > 0 ? refuseHold(deps, exchange) : undefined;
  if (no !== undefined) return refused(deps, operation, exchange, no);
  if (ready.asked.length === 0) refuseWhenOverloaded(deps, laneOf(ready.key), evidence.credential);
  // only now: a request that was refused has not used its key
  const winner = await findEarlier(deps, exchange, key, 'claim');
  if (isRefusal(winner)) return refused(deps, operation, exchange, winner);
  if (winner !== undefined) return winner;
  if (ready.asked.length > 0) {
    return sayingUndecided(() => holdSigning(deps, exchange, ready.asked));
  }
  // where Redis forgot its nonce it comes in again: two leads at one moment would each sign and record its message
  if (deps.dispatcher.isUnderWay(requestId)) return USED_BEFORE;
  const item: SignItem = {
    submission: randomBytes(16).toString('hex'),
    receivedAt: asking.receivedAt,
    nonce: 0n,
    evidence,
  };
  const asked = askedNow(requestId, ready, () => deps.follower.state);
  const once = { matched, evidence, asking };
  return sayingUndecided(() => sign(deps, exchange, { ready, asked, item, once }));
}

type Result = 'succeeded' | 'denied' | 'failed';

interface Signing {
  readonly ready: ReadySigning;
  readonly asked: AskedRequest;
  readonly item: SignItem;
  readonly once: AskedOnce;
}

/**
 * From here on the parties have the request: what becomes of it is theirs to say, whatever its caller is told. It is
 * counted once: by the answer, where that says how it ended, or else when it ends.
 */
async function sign(
  deps: SigningDeps,
  exchange: SignedExchange,
  signing: Signing,
): Promise<Answer> {
  const { asked, item } = signing;
  const outcome = deps.dispatcher.submit(item, asked);
  let isTold = false;
  try {
    const waitMs = waitFor(exchange, signing.ready) - waitedMs(deps, exchange);
    const answered = await withinMs(outcome, waitMs);
    const answer =
      answered === undefined
        ? await accept(deps, exchange, signing)
        : await answerAnswered(deps, exchange, signing, answered);
    isTold = answered !== undefined;
    return answer;
  } finally {
    if (!isTold) {
      void outcome.then((ended) => deps.tally.end(asked.operation.id, resultOfOutcome(ended)));
    }
  }
}

async function answerAnswered(
  deps: SigningDeps,
  exchange: SignedExchange,
  { ready, asked, item, once }: Signing,
  answered: RecordedOutcome,
): Promise<Answer> {
  const beyond = findAskedBeyondLimit(deps, once, answered);
  if (beyond !== undefined)
    return refuseHold(deps, exchange) ?? holdSigning(deps, exchange, beyond);
  return refuseFrozenSince(deps, ready) ?? answerOf(deps, { asked, item }, answered);
}

/** 202. Where that cannot be put on record now, it is later: so whoever asks for it learns how it ended, signed or not. */
async function accept(
  { signingRequests }: SigningDeps,
  { caller, requestId }: SignedExchange,
  { asked, item }: Signing,
): Promise<Answer> {
  const request = { requestId, operation: asked.operation.id, createdBy: caller.id, item };
  try {
    await signingRequests.accept(request);
  } catch (error) {
    signingRequests.acceptLater(request);
    throw error;
  }
  return { status: 202, requestId };
}

function resultOfOutcome(outcome: RecordedOutcome | undefined): Result {
  if (outcome === undefined) return 'failed';
  return outcome.outcome === 'denied' ? 'denied' : 'succeeded';
}

/**
 * How long the caller is kept, ms. Where a limit stands before a rule that asks for approvals, the parties' answer is waited for
 * in any case: only they know whether the request is to be put into the ledger.
 */
function waitFor({ request }: SignedExchange, { claim, couldWait }: ReadySigning): number {
  const preferred = preferredWaitMs(request, DEFAULT_WAIT_MS);
  return claim !== undefined && couldWait ? Math.max(preferred, DEFAULT_WAIT_MS) : preferred;
}

interface AskedOnce {
  readonly matched: MatchedSigning;
  readonly evidence: Evidence;
  readonly asking: Asking;
}

/** The rules that ask for approvals of what the parties found to be beyond a limit; undefined where it is something else. */
function findAskedBeyondLimit(
  { follower }: SigningDeps,
  { matched, evidence, asking }: AskedOnce,
  answered: RecordedOutcome,
): readonly AskingRule[] | undefined {
  if (answered.outcome !== 'denied' || answered.reason !== NOT_HELD.message) return undefined;
  const again = evaluateSigning(follower.state, matched, evidence, { ...asking, waited: true });
  return isRefusal(again) || again.asked.length === 0 ? undefined : again.asked;
}

/** What waits to be countersigned may deny already: a freeze above all. */
function findDenialAtTip(
  { follower }: SigningDeps,
  matched: MatchedSigning,
  evidence: Evidence,
  asking: Asking,
): Refusal | undefined {
  const { state, tip } = follower.view;
  if (isSameVault(state, tip)) return undefined;
  const initiator = tip.users.rows.get(asking.initiator.id) ?? asking.initiator;
  const again = evaluateSigning(tip, matched, evidence, { ...asking, initiator });
  return isRefusal(again) ? again : undefined;
}

/** A signature that was given before a freeze and comes after it goes no further. */
function refuseFrozenSince(
  { follower }: SigningDeps,
  { key, wallet }: ReadySigning,
): Refusal | undefined {
  const { tip } = follower.view;
  return refuseFrozen(tip, {
    key: tip.keys.rows.get(key.id) ?? key,
    wallet: wallet === undefined ? undefined : (tip.wallets.rows.get(wallet.id) ?? wallet),
  });
}

function answerOf(
  { evidenceKeys }: SigningDeps,
  { asked, item }: { readonly asked: AskedRequest; readonly item: SignItem },
  outcome: RecordedOutcome,
): Answer {
  // two parties had decided about it before it came this time
  if (outcome.submission !== item.submission) return USED_BEFORE;
  if (outcome.outcome === 'denied') return refusalOf(outcome);
  return { status: 200, body: answerOfSignResult(asked, outcome, evidenceKeys) };
}

/** What the parties refused, in their words. */
function refusalOf({ errType, reason }: DeniedOutcome): Refusal {
  return { refused: errType, message: reason };
}

/** With an idempotency key: the answer of the request that has it already, if one has. */
async function findEarlier(
  deps: SigningDeps,
  { caller, evidence, requestId }: SignedExchange,
  key: string | undefined,
  step: 'find' | 'claim',
): Promise<Answer | undefined> {
  if (key === undefined) return undefined;
  const claim = await deps.idempotency[step](key, caller.id, evidence, requestId);
  if (isRefusal(claim)) return claim;
  if (claim.kind === 'first') return undefined;
  const answer = await answerOfEarlier(deps, claim.requestId, caller.id);
  if (answer !== undefined) return answer;
  const waiting = answerOfHeld(deps.follower.state, claim.requestId);
  if (waiting !== undefined) return waiting;
  const isAbandoned =
    claim.ageMs > ABANDONED_AFTER_MS && !(await deps.signingRequests.isAccepted(claim.requestId));
  if (isAbandoned && step === 'find') return undefined;
  const isMine =
    isAbandoned && (await deps.idempotency.takeOver(key, caller.id, claim.requestId, requestId));
  return isMine ? undefined : { status: 202, requestId: claim.requestId };
}

/** Undefined while there is no result. */
async function answerOfEarlier(
  deps: SigningDeps,
  requestId: string,
  callerId: string,
): Promise<Answer | undefined> {
  const stored = await deps.results.find(requestId);
  if (stored === undefined) return undefined;
  if (stored.outcome.outcome === 'denied') return refusalOf(stored.outcome);
  const frozen = refuseWhileFrozen(deps.follower.view.tip, stored.outcome, callerId);
  if (frozen !== undefined) return frozen;
  const body = answerOfSignResult(stored.asked, stored.outcome, deps.evidenceKeys);
  return { status: 200, body, requestId };
}

/** How long ago its head was read: that is part of what its caller waits. */
function waitedMs({ now }: SigningDeps, { arrivedAt }: SignedExchange): number {
  return Math.max(0, now() - arrivedAt);
}

/** What came this far has cost what a refusal spares: how long it took is counted at the door alone, for those behind it. */
function refuseWhenOverloaded(deps: SigningDeps, lane: Lane, credential: string): void {
  const { dispatcher } = deps;
  if (dispatcher.pending >= MAX_PENDING || dispatcher.isOverloaded(lane, credential)) {
    throw new ApiError('gateway_timeout', 'the service is overloaded', { retryAfterS: 1 });
  }
  const alive = PARTY_NUMBERS.filter((party) => deps.presence.isAlive(party));
  if (alive.length < PARTIES_NEEDED) {
    throw new ApiError('gateway_timeout', 'fewer than two signers can be reached', {
      retryAfterS: 1,
    });
  }
}

/** The value if it comes in time; undefined when it does not, or when it is undefined. */
async function withinMs<Value>(promise: Promise<Value>, ms: number): Promise<Value | undefined> {
  if (ms <= 0) return undefined;
  let timer: NodeJS.Timeout | undefined;
  const timeout = new Promise<undefined>((resolve) => {
    timer = setTimeout(() => resolve(undefined), ms);
  });
  try {
    return await Promise.race([promise, timeout]);
  } finally {
    clearTimeout(timer);
  }
}

function refused(
  deps: SigningDeps,
  operation: SigningOperation,
  exchange: SignedExchange,
  refusal: Refusal,
): Promise<Refusal> {
  const target = operation.findTarget(deps.follower.state, exchange.params);
  const keyId = isRefusal(target) ? exchange.params['key_id'] : target.key.id;
  const evidence = evidenceOfRefusal(deps, exchange, refusal);
  return refuseCaller(deps, operation.id, exchange, refusal, { keyId, evidence });
}

/** What rules refused may be tried again on other rules: what was asked for is kept, if it is small. */
function evidenceOfRefusal(
  { evidenceKeys }: SigningDeps,
  { evidence }: SignedExchange,
  { refused: errType, message }: Refusal,
): Buffer | undefined {
  if (errType !== 'forbidden' || !isReasonOfRules(message)) return undefined;
  if (evidence.body.length > MAX_REFUSED_EVIDENCE) return undefined;
  const sealed = sealEvidence(evidence, evidenceKeys);
  return sealed.length > MAX_REFUSED_EVIDENCE ? undefined : sealed;
}
