/**
 * Items of a batch that its caller wants all or none of. This party decides about all of them together, whichever of
 * them a gateway sent: so it gives nothing to one item unless it would allow each, with room in all limits.
 */
import type { BoundedMap } from '@countersign/core/bounded-map.js';
import { deny } from '@countersign/core/denials.js';
import { refuse } from '@countersign/core/errors.js';
import { MAX_BATCH } from '@countersign/runtime/jobs/names.js';
import type { SignItem } from '@countersign/runtime/jobs/sign-batch.js';
import { askedSigning } from '@countersign/vault/operations/asked-signing.js';
import type { Reviewed } from './review-item.js';

/** Beyond so many items, sent and not sent, a job's batches are not completed: a gateway makes nobody work without end. */
const MAX_REVIEWED = 4 * MAX_BATCH;

/** The items of a job, and behind them the others of their batches that were not sent. */
export function withMissingItems(items: readonly SignItem[]): readonly SignItem[] {
  const all = [...items];
  const known = new Set<string>();
  const wanted = new Map<string, { readonly item: SignItem; readonly size: number }>();
  for (const item of items) {
    if (item.index === undefined) continue;
    const { requestId, batch } = askedSigning(item.evidence, item.index);
    known.add(requestId);
    if (batch?.isAllOrNone === true) wanted.set(batch.requestId, { item, size: batch.size });
  }
  for (const { item, size } of wanted.values()) {
    for (let index = 0; index < size && all.length < MAX_REVIEWED; index++) {
      const missing = { ...item, index, nonce: 0n };
      if (!known.has(askedSigning(item.evidence, index).requestId)) all.push(missing);
    }
  }
  return all;
}

/** The others of its batch are missing. */
const NOT_REVIEWED: Reviewed['verdict'] = {
  kind: 'dropped',
  refusal: refuse('gateway_timeout', 'too many items at once'),
  isPostponed: true,
};

/**
 * The denials of whole batches that this party has decided, by the batch's id. A batch may leave in several jobs, and
 * its time to live is bounded by its caller's timestamp: an entry does no harm after that.
 */
export type DeniedBatches = BoundedMap<string, Denied>;
type Denied = Extract<Reviewed['verdict'], { kind: 'denied' }>;

/**
 * Denies the items of a batch of which one is denied, now or in an earlier job. One that came from nobody known drops
 * them all; without all of them nothing is decided.
 */
export function denyTogether(
  reviews: readonly Reviewed[],
  deniedBatches: DeniedBatches,
): Reviewed[] {
  const batches = new Map<string, Reviewed[]>();
  for (const review of reviews) {
    if (review.batch?.isAllOrNone !== true) continue;
    const { requestId } = review.batch;
    batches.set(requestId, [...(batches.get(requestId) ?? []), review]);
  }
  const verdicts = new Map(
    [...batches].map(([id, items]) => [id, deniedBatches.get(id) ?? findNo(items)]),
  );
  for (const [id, verdict] of verdicts) {
    if (verdict?.kind === 'denied' && !deniedBatches.has(id)) deniedBatches.put(id, verdict);
  }
  return reviews.map((review) => {
    if (review.verdict.kind !== 'ready') return review;
    const verdict = verdicts.get(review.batch?.requestId ?? '');
    return verdict === undefined ? review : { ...review, verdict };
  });
}

/** The verdict for those that are ready themselves; undefined if all of the batch are. */
function findNo(items: readonly Reviewed[]): Reviewed['verdict'] | undefined {
  const denied = items.find(({ verdict }) => verdict.kind === 'denied');
  if (denied?.verdict.kind === 'denied') {
    const { refusal } = denied.verdict;
    const reason = deny('not_all', `${denied.batch!.index}`, refusal.message);
    return { ...denied.verdict, refusal: { ...refusal, ...reason } };
  }
  const dropped = items.find(({ verdict }) => verdict.kind === 'dropped');
  if (dropped !== undefined) return dropped.verdict;
  const reviewed = new Set(items.map(({ requestId }) => requestId));
  return reviewed.size === items[0]!.batch!.size ? undefined : NOT_REVIEWED;
}

/**
 * Whether the claims of each item count. `given` is of those that were sent. One that was not sent counts once something
 * of its batch was given: it is sent later, if at all.
 */
export function areCounted(decided: readonly Reviewed[], given: readonly boolean[]): boolean[] {
  const begun = new Set(
    decided.flatMap(({ batch }, index) => (given[index] === true ? [batch?.requestId] : [])),
  );
  return decided.map(
    ({ verdict, batch }, index) =>
      given[index] ?? (verdict.kind === 'ready' && begun.has(batch?.requestId)),
  );
}

/** Whether each item may be given out: none of a batch that is wanted whole, unless each of them that is here may. */
export function standTogether(
  reviews: readonly Reviewed[],
  stands: (index: number) => boolean,
): boolean[] {
  const broken = new Set<string>();
  reviews.forEach(({ batch }, index) => {
    if (batch?.isAllOrNone === true && !stands(index)) broken.add(batch.requestId);
  });
  return reviews.map(
    ({ batch }, index) => stands(index) && (batch === undefined || !broken.has(batch.requestId)),
  );
}
