/**
 * Reviews one item of a signing job. The party decides everything for itself, over its own fold, from the caller's own
 * bytes. It takes the gateway's word for the time of arrival alone, and only within the window of the caller's signed
 * timestamp.
 */
import {
  findCaller,
  callerKeyOf,
  refuseStale,
  TIMESTAMP_WINDOW_MS,
} from '@countersign/vault/authentication/authenticate.js';
import { isSameSigner } from '@countersign/vault/authentication/same-signer.js';
import { INVALID_CREDENTIALS } from '@countersign/vault/authentication/refused-credential.js';
import { isAsserted, type CallerKey } from '@countersign/core/caller-key.js';
import { isRefusal, refuse, type Refusal } from '@countersign/core/errors.js';
import { SIGN_TIME_TO_LIVE_MS } from '@countersign/runtime/jobs/names.js';
import type { SignItem } from '@countersign/runtime/jobs/sign-batch.js';
import type { Prices } from '@countersign/vault/policy/usd-value.js';
import type { LimitClaim, ReachedLimits } from '@countersign/vault/policy/velocity.js';
import type { GivenApproval, User, VaultState } from '@countersign/vault/state/state.js';
import {
  findApprovals,
  findPendingSigning,
  NOT_HELD,
  refuseAsking,
  refuseUnreleased,
} from '@countersign/vault/policy/released-approvals.js';
import { evaluateSigning } from '@countersign/vault/operations/signing-operation.js';
import type {
  MatchedSigning,
  ReadySigning,
} from '@countersign/vault/operations/signing-operation.js';
import { askedSigning, type AskedBatch } from '@countersign/vault/operations/asked-signing.js';
import { isClaimed, tightestClaims } from '../limits/tightest-claims.js';

export interface Reviewed {
  readonly item: SignItem;
  /** Its own: an item of a batch has another than the batch. */
  readonly requestId: string;
  /** Undefined for what is no item of a batch. */
  readonly batch: AskedBatch | undefined;
  /** Of what its caller signed; 32 bytes. */
  readonly digest: Buffer;
  readonly ledgerSeq: number;
  /** Since when it can be asked for, ms: by its caller's clock, or since its approvals were complete. */
  readonly openSince: number;
  /** Only for one that waited for approvals: since when, at the latest, rules ask for them, by the ledger; ms. */
  readonly askedSince: number | undefined;
  readonly verdict: Verdict;
  /** The prices by which it was decided; later decisions about it use them too. */
  readonly prices?: Prices | undefined;
  /** Limits that this party found without room. They stay without room in whatever state it is decided again. */
  readonly reached?: ReachedLimits | undefined;
}

type Dropped = Extract<Verdict, { kind: 'dropped' }>;

/** What a party knows beside the ledger. */
export interface KnownBeside {
  /** Limits that the request would pass. */
  readonly reached?: ReachedLimits | undefined;
  readonly prices?: Prices | undefined;
}

type Verdict =
  | {
      readonly kind: 'ready';
      readonly caller: User;
      readonly callerKey: CallerKey;
      readonly signing: ReadySigning;
      /** The approvals that count now, in the order in which they were given; none where no rule asks for any. */
      readonly approvals: readonly GivenApproval[];
      /** What it takes of limits in all states that decide about it: one claim for each count. */
      readonly claims: readonly LimitClaim[];
    }
  | {
      readonly kind: 'denied';
      readonly refusal: Refusal;
      readonly callerId: string;
      readonly operationId: string;
    }
  /** Nobody we know asked, or nobody in time, or it has to wait for approvals first: it leaves no record. */
  | {
      readonly kind: 'dropped';
      readonly refusal: Refusal;
      /** Nothing was decided about it: it is tried again. */
      readonly isPostponed?: true;
    };

/** Checks everything but a ready item's assertion, which the thread verifies together with the maths. */
export function reviewItem(
  state: VaultState,
  item: SignItem,
  now: number,
  { reached, prices }: KnownBeside = {},
): Reviewed {
  const { evidence } = item;
  const { digest, requestId, matched, batch } = askedSigning(evidence, item.index);
  const held = findPendingSigning(state, requestId);
  const openSince = held?.releasedAt ?? evidence.timestampMs;
  const askedSince = held?.signing.askedSince;
  const decided = { openSince, askedSince, prices, reached };
  const common = { item, requestId, batch, digest, ledgerSeq: state.seq, ...decided };
  const late = refuseLate(state, item, requestId, now);
  if (late !== undefined) return { ...common, verdict: dropped(late) };
  const caller = findCaller(state, evidence.scheme, evidence.credential, now);
  if (isRefusal(caller)) return { ...common, verdict: dropped(caller) };
  if (matched !== undefined && item.tokenVerified === 'unknown') {
    return { ...common, verdict: TOKEN_UNKNOWN };
  }
  if (matched === undefined || !isChecked(item)) {
    return { ...common, verdict: dropped(refuse('unauthorized', INVALID_CREDENTIALS)) };
  }
  const key = callerKeyOf(state, caller);
  const owner = { callerId: caller.id, key, operationId: matched.operation.id };
  const [receivedAt, waited] = [momentOf(item, now), held !== undefined];
  const asking = { initiator: caller, receivedAt, prices, waited };
  const signing = evaluateSigning(state, matched, evidence, asking, reached);
  if (isRefusal(signing)) {
    return { ...common, verdict: denialOf(signing, owner, item, digest) };
  }
  const { asked } = signing;
  const approvals = approvalsFor(state, { requestId, batch }, { asked, requester: caller }, now);
  if (approvals === NOT_HELD) return { ...common, verdict: dropped(approvals) };
  if (isRefusal(approvals)) {
    return { ...common, verdict: denialOf(approvals, owner, item, digest) };
  }
  return {
    ...common,
    verdict: {
      kind: 'ready',
      caller,
      callerKey: key,
      signing,
      approvals,
      claims: claimsOf(signing),
    },
  };
}

/** A provider that is away makes no token wrong. */
const TOKEN_UNKNOWN: Verdict = {
  ...dropped(refuse('gateway_timeout', 'the keys of the identity provider cannot be read')),
  isPostponed: true,
};

type Asked = Parameters<typeof findApprovals>[2];

/** No item of a batch waits for approvals: where a rule asks for some it is denied. */
function approvalsFor(
  state: VaultState,
  { requestId, batch }: Pick<Reviewed, 'requestId' | 'batch'>,
  asked: Asked,
  now: number,
): readonly GivenApproval[] | Refusal {
  return batch === undefined
    ? findApprovals(state, requestId, asked, now)
    : (refuseAsking(asked.asked) ?? []);
}

function claimsOf({ claim }: ReadySigning): readonly LimitClaim[] {
  return claim === undefined ? [] : [claim];
}

function dropped(refusal: Refusal): Dropped {
  return { kind: 'dropped', refusal };
}

/** Whether this party has not decided about the item, for want of something that it may have later. */
export function isPostponed({ verdict }: Pick<Reviewed, 'verdict'>): boolean {
  return verdict.kind === 'dropped' && verdict.isPostponed === true;
}

interface DenialOwner {
  readonly callerId: string;
  readonly key: CallerKey;
  readonly operationId: string;
}

/** Makes the cheap checks: a machine's assertion has its length, a person's token was found to be the provider's. */
function isChecked({ evidence, tokenVerified }: SignItem): boolean {
  return evidence.scheme === 'ApiKey' ? evidence.assertion.length === 64 : tokenVerified === true;
}

/** A denial is recorded against the caller, so the request must really be theirs. */
function denialOf(
  refusal: Refusal,
  { callerId, key, operationId }: DenialOwner,
  { evidence }: SignItem,
  digest: Uint8Array,
): Verdict {
  return isAsserted(key, digest, evidence.assertion)
    ? { kind: 'denied', refusal, callerId, operationId }
    : dropped(refuse('unauthorized', INVALID_CREDENTIALS));
}

/**
 * Reviews an item over the state at the batch's head, and over the states that this party has seen beyond it, which may
 * only deny. Each state claims of its own limits, so one that was lowered or added since binds whatever head a gateway
 * names.
 */
export function reviewOverHead(
  head: VaultState,
  beyond: readonly VaultState[],
  item: SignItem,
  now: number,
  beside: KnownBeside = {},
): Reviewed {
  const review = reviewItem(head, item, now, beside);
  if (review.verdict.kind !== 'ready') return review;
  const { caller, callerKey: key, signing } = review.verdict;
  const decided = decideIn(beyond, review, now);
  if (!isRefusal(decided)) {
    const claims = tightestClaims([...review.verdict.claims, ...decided]);
    return { ...review, verdict: { ...review.verdict, claims } };
  }
  const owner = { callerId: caller.id, key, operationId: signing.operation.id };
  return { ...review, verdict: denialOf(decided, owner, item, review.digest) };
}

/**
 * Why one of these states denies what was ready over another; undefined when all of them allow it. A credential
 * that was taken away since is good in none of them, whatever head a gateway named. `now` in ms.
 */
export function findDenial(
  states: readonly VaultState[],
  review: Reviewed,
  now: number,
): Refusal | undefined {
  const decided = decideIn(states, review, now);
  if (isRefusal(decided)) return decided;
  const { verdict } = review;
  if (verdict.kind !== 'ready') return undefined;
  return decided.every((claim) => isClaimed(verdict.claims, claim)) ? undefined : LIMIT_CHANGED;
}

const LIMIT_CHANGED = refuse(
  'resource_conflict',
  'a limit was changed while the request was decided',
);

/** Returns the claims on limits in these states, or why one of them denies what was ready over another. */
function decideIn(
  states: readonly VaultState[],
  { item, verdict, requestId, batch, prices, reached }: Reviewed,
  now: number,
): Refusal | readonly LimitClaim[] {
  if (verdict.kind !== 'ready') return [];
  const claims: LimitClaim[] = [];
  const { evidence } = item;
  const { operation, input } = verdict.signing;
  const matched: MatchedSigning = { operation, params: input.params, input };
  for (const state of states) {
    const caller = findCaller(state, evidence.scheme, evidence.credential, now);
    if (isRefusal(caller)) return caller;
    if (!isSameSigner(caller, verdict.caller)) {
      return refuse('unauthorized', INVALID_CREDENTIALS);
    }
    const waited = findPendingSigning(state, requestId) !== undefined;
    const asking = { initiator: caller, receivedAt: momentOf(item, now), prices, waited };
    const again = evaluateSigning(state, matched, evidence, asking, reached);
    if (isRefusal(again)) return again;
    claims.push(...claimsOf(again));
    const { asked } = again;
    const approved = { asked, requester: caller };
    const approvals = approvalsFor(state, { requestId, batch }, approved, now);
    if (isRefusal(approvals)) return approvals;
  }
  return claims;
}

/** The time of arrival for rules about times. A gateway's word counts for no moment that is still to come. */
function momentOf({ receivedAt }: SignItem, now: number): number {
  return Math.min(receivedAt, now);
}

/**
 * Refuses a request that is stale by the caller's own clock, or older than its time to live. One that waited for
 * approvals is as old as its release, which the ledger dates. Before and after that it is neither signed nor recorded.
 */
function refuseLate(
  state: VaultState,
  { evidence, receivedAt }: SignItem,
  requestId: string,
  now: number,
): Refusal | undefined {
  const held = findPendingSigning(state, requestId);
  const stale =
    held === undefined ? refuseStale(evidence.timestampMs, now) : refuseUnreleased(held, now);
  if (stale !== undefined) return stale;
  const isPlausible =
    held !== undefined || Math.abs(receivedAt - evidence.timestampMs) <= TIMESTAMP_WINDOW_MS;
  return isPlausible && now - receivedAt < SIGN_TIME_TO_LIVE_MS
    ? undefined
    : refuse('unauthorized', 'the request is older than its time to live');
}
