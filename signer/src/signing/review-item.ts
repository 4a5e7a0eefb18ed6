/**
 * What this party thinks of one item of a signing job: everything it decides for itself, over its own
 * fold, from the caller's own bytes. The gateway's word is taken for nothing but the time of arrival,
 * and for that only within the window of the caller's signed timestamp.
 */
import {
  findCaller,
  INVALID_CREDENTIALS,
  publicKeyOf,
  refuseStale,
  TIMESTAMP_WINDOW_MS,
} from '@countersign/vault/authentication/authenticate.js';
import { verifyEd25519 } from '@countersign/core/ed25519.js';
import { isRefusal, refuse, type Refusal } from '@countersign/core/errors.js';
import { digestOf, requestIdOf } from '@countersign/core/evidence.js';
import { SIGN_TIME_TO_LIVE_MS } from '@countersign/runtime/jobs/names.js';
import type { SignItem } from '@countersign/runtime/jobs/sign-batch.js';
import type { Prices } from '@countersign/vault/policy/usd-value.js';
import type { ReachedLimits } from '@countersign/vault/policy/velocity.js';
import type { MachineUser, VaultState } from '@countersign/vault/state/state.js';
import { evaluateSigning } from '@countersign/vault/operations/signing-operation.js';
import type { ReadySigning } from '@countersign/vault/operations/signing-operation.js';
import { findSigningOperation } from '@countersign/vault/operations/signing-operations.js';

export interface Reviewed {
  readonly item: SignItem;
  readonly requestId: string;
  /** 32 bytes. */
  readonly digest: Buffer;
  readonly ledgerSeq: number;
  readonly verdict: Verdict;
  /** Those by which it was decided, whatever is decided about it later. */
  readonly prices?: Prices | undefined;
}

/** What a party knows beside the ledger. */
export interface KnownBeside {
  /** Limits that the request would pass. */
  readonly reached?: ReachedLimits | undefined;
  readonly prices?: Prices | undefined;
}

type Verdict =
  | {
      readonly kind: 'ready';
      readonly caller: MachineUser;
      readonly callerPublicKey: Buffer;
      readonly signing: ReadySigning;
    }
  | {
      readonly kind: 'denied';
      readonly refusal: Refusal;
      readonly callerId: string;
      readonly operationId: string;
    }
  /** Nobody we know asked, or nobody in time: it leaves no record. */
  | { readonly kind: 'dropped'; readonly refusal: Refusal };

/** Everything but a ready item's assertion, which the thread verifies together with the maths. */
export function reviewItem(
  state: VaultState,
  item: SignItem,
  now: number,
  { reached, prices }: KnownBeside = {},
): Reviewed {
  const { evidence } = item;
  const digest = digestOf(evidence);
  const common = { item, requestId: requestIdOf(digest), digest, ledgerSeq: state.seq, prices };
  const late = refuseLate(item, now);
  if (late !== undefined) return { ...common, verdict: { kind: 'dropped', refusal: late } };
  const caller = findCaller(state, evidence.scheme, evidence.credential, now);
  if (isRefusal(caller)) return { ...common, verdict: { kind: 'dropped', refusal: caller } };
  const matched = findSigningOperation(evidence.method, evidence.path);
  if (matched === undefined || evidence.assertion.length !== 64) {
    const refusal = refuse('unauthorized', INVALID_CREDENTIALS);
    return { ...common, verdict: { kind: 'dropped', refusal } };
  }
  const asking = { initiator: caller, receivedAt: momentOf(item, now), prices };
  const signing = evaluateSigning(state, matched, evidence, asking, reached);
  if (isRefusal(signing)) {
    const verdict = denialOf(signing, { caller, operationId: matched.operation.id }, item, digest);
    return { ...common, verdict };
  }
  return {
    ...common,
    verdict: {
      kind: 'ready',
      caller,
      callerPublicKey: publicKeyOf(caller),
      signing,
    },
  };
}

/** A denial is recorded against the caller, so it must really be theirs. */
function denialOf(
  refusal: Refusal,
  { caller, operationId }: { readonly caller: MachineUser; readonly operationId: string },
  { evidence }: SignItem,
  digest: Uint8Array,
): Verdict {
  return verifyEd25519(publicKeyOf(caller), digest, evidence.assertion)
    ? { kind: 'denied', refusal, callerId: caller.id, operationId }
    : { kind: 'dropped', refusal: refuse('unauthorized', INVALID_CREDENTIALS) };
}

/**
 * The same over what was in force at the batch's head, and over what this party has seen beyond it: that may
 * only deny. What was seen beyond the head counts nothing of its own.
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
  const { caller, signing } = review.verdict;
  const refusal = findDenial(beyond, review, now);
  if (refusal === undefined) return review;
  const owner = { caller, operationId: signing.operation.id };
  return { ...review, verdict: denialOf(refusal, owner, item, review.digest) };
}

/**
 * Why one of these states denies what was ready over another; undefined when all of them allow it. A credential
 * that was taken away since is good in none of them, whatever head a gateway named. `now` in ms.
 */
export function findDenial(
  states: readonly VaultState[],
  { item, verdict, prices }: Reviewed,
  now: number,
): Refusal | undefined {
  if (verdict.kind !== 'ready') return undefined;
  const { evidence } = item;
  const matched = findSigningOperation(evidence.method, evidence.path)!;
  for (const state of states) {
    const caller = findCaller(state, evidence.scheme, evidence.credential, now);
    if (isRefusal(caller)) return caller;
    if (caller.id !== verdict.caller.id || caller.publicKey !== verdict.caller.publicKey) {
      return refuse('unauthorized', INVALID_CREDENTIALS);
    }
    const asking = { initiator: caller, receivedAt: momentOf(item, now), prices };
    const again = evaluateSigning(state, matched, evidence, asking);
    if (isRefusal(again)) return again;
  }
  return undefined;
}

/** When rules about times take it to have come: a gateway's word counts for no moment that is still to come. */
function momentOf({ receivedAt }: SignItem, now: number): number {
  return Math.min(receivedAt, now);
}

/** Stale by the caller's own clock, or older than its time to live: never signed late. */
function refuseLate({ evidence, receivedAt }: SignItem, now: number): Refusal | undefined {
  const stale = refuseStale(evidence.timestampMs, now);
  if (stale !== undefined) return stale;
  const isPlausible = Math.abs(receivedAt - evidence.timestampMs) <= TIMESTAMP_WINDOW_MS;
  return isPlausible && now - receivedAt < SIGN_TIME_TO_LIVE_MS
    ? undefined
    : refuse('unauthorized', 'the request is older than its time to live');
}
