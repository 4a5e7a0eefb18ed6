import type { EarlierDeps, AnswerOfEarlier } from './earlier-signing.js';
import { ABANDONED_AFTER_MS } from './earlier-signing.js';
import { itemIdOf } from '@countersign/core/batch-item.js';
import { isRefusal } from '@countersign/core/errors.js';
import { readBatch } from '@countersign/vault/operations/signing-batches.js';
import type { SignedExchange } from '../admission/exchange.js';
import type { Store } from '../stores/ask-store.js';
import { EXPIRED, findBatchItems, itemView } from '../requests/batch-record.js';
import type { CheckedResults } from '../requests/checked-results.js';

export type EarlierBatchDeps = EarlierDeps & {
  readonly pool: Store;
  readonly results: Pick<CheckedResults, 'findAll'>;
  readonly now: () => number;
};

/**
 * The answer of a batch that had an idempotency key before, whatever its caller may ask for now. If its gateway died
 * with it, the items that came to nothing can come to nothing more: they have failed.
 */
export function answerOfEarlierBatch(
  { pool, results, follower, evidenceKeys, now }: EarlierBatchDeps,
  { evidence }: Pick<SignedExchange, 'evidence'>,
): AnswerOfEarlier {
  return async ({ requestId, ageMs }, callerId) => {
    const items = await findBatchItems({ pool, results }, requestId, now());
    const read = readBatch(evidence);
    if (items.length === 0 || read === undefined || isRefusal(read)) return undefined;
    const size = read.items.length;
    const isOver = ageMs > ABANDONED_AFTER_MS;
    const by = { optimistic: follower.view.optimistic, evidenceKeys };
    const known = new Map(items.map((item) => [item.index, item.end]));
    const ends = Array.from(
      { length: size },
      (_, index) => known.get(index) ?? (isOver ? { refusal: EXPIRED } : undefined),
    );
    const answers = ends.flatMap((end, index) =>
      end === undefined
        ? []
        : [itemView({ itemId: itemIdOf(requestId, index), index }, end, callerId, by)],
    );
    if (answers.length < size) return undefined;
    return { status: 200, body: { request_id: requestId, results: answers }, requestId };
  };
}
