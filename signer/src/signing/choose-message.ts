/** Chooses the message that a partner signs: the one it knows for the request already, or one for this moment. */
import { SIGN_TIME_TO_LIVE_MS } from '@countersign/runtime/jobs/names.js';
import type { SignItem } from '@countersign/runtime/jobs/sign-batch.js';
import type { NonceStore } from '../records/venue-nonce-store.js';
import type { RequestMemory, TimedRequest } from '../requests/request-memory.js';
import { CONTRIBUTION_LIFE_MS } from './given-contributions.js';
import type { Reviewed } from './review-item.js';
import type { Ready } from './thread-input.js';

export interface ChosenMoment {
  /** ms */
  readonly at: number;
  readonly nonce: bigint;
}

export interface MessageChoice {
  readonly requests: RequestMemory;
  readonly nonces: NonceStore;
  readonly now: () => number;
}

export function timedRequest({
  requestId,
  openSince,
  askedSince = -Infinity,
  item,
  verdict,
}: Pick<Reviewed, 'requestId' | 'openSince' | 'askedSince' | 'item' | 'verdict'>): TimedRequest {
  const { timestampMs: madeAt } = item.evidence;
  const couldWait = verdict.kind === 'ready' && verdict.signing.couldWait;
  const mayBeUnwritten = madeAt < askedSince + OLD_RULES_LIFE_MS;
  return { requestId, openSince, madeAt, mayBeUnwritten, couldWait };
}

/**
 * How long a pair can still sign over the old rules after the ledger's date of a change, ms. One of any two parties has
 * countersigned the change within a minute of that date. A lease and a batch later it signs over no earlier head.
 */
const OLD_RULES_LIFE_MS = 120_000;

/**
 * Why this process may give the request no message now, as internal text; undefined where it may. A known message is
 * given again only while the request lives, whatever arrival time a gateway names.
 */
export function refuseMessage(
  { requests, now }: Pick<MessageChoice, 'requests' | 'now'>,
  review: Reviewed,
): string | undefined {
  const known = requests.recall(review.requestId);
  if (known !== undefined && now() - known.at >= SIGN_TIME_TO_LIVE_MS) {
    return 'older than its time to live';
  }
  return requests.refuse(timedRequest(review), now());
}

/**
 * Chooses the moment that the message names: when the gateway received the request, so that every partner names the
 * same as far as clocks allow. The nonce is the one that another party gave the request, if ours could be that too.
 * Otherwise it is our next: who names a number that nobody can take stops no request. If another party really gave
 * that number, it knows the message, and signs no other with us.
 */
export async function chooseMoment(
  { requests, nonces, now }: MessageChoice,
  { requestId, item, verdict }: Ready,
): Promise<ChosenMoment> {
  const known = requests.recall(requestId);
  if (known !== undefined) return known;
  const at = momentOf(item, now());
  const { key, nonceUnit } = verdict.signing;
  if (nonceUnit === undefined) return { at, nonce: 0n };
  const isHinted = isPlausibleNonce(item.nonce, nonceUnit, now());
  if (isHinted && (await nonces.accept(key.id, item.nonce))) return { at, nonce: item.nonce };
  const time = BigInt(now());
  return { at, nonce: await nonces.take(key.id, nonceUnit === 'us' ? time * 1_000n : time) };
}

/** If the gateway's clock is ahead, this party's own clock counts. */
function momentOf({ receivedAt }: SignItem, now: number): number {
  return receivedAt < now + CONTRIBUTION_LIFE_MS ? receivedAt : now;
}

/** A number far ahead of the clock would leave the key no higher ones to use at its venue. */
export function isPlausibleNonce(
  nonce: bigint,
  unit: 'ms' | 'us' | undefined,
  now: number,
): boolean {
  if (unit === undefined) return nonce === 0n;
  const latest = BigInt(now + NONCE_LEAD_MS) * (unit === 'us' ? 1_000n : 1n);
  return nonce > 0n && nonce <= latest;
}

const NONCE_LEAD_MS = 60_000;
