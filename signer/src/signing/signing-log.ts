/** Logs one line for each request that this party had a part in: its role, outcome, key, parties and duration. */
import type { SignBatch } from '@countersign/runtime/jobs/sign-batch.js';
import { createOnce } from '@countersign/core/bounded-map.js';
import type { Logger } from '@countersign/runtime/process/logger.js';
import { partiesText } from './batch-role.js';
import type { Reviewed } from './review-item.js';

/** A request is tried again many times a second where one party alone denies it, or a gateway asks again and again. */
const MAX_REMEMBERED = 10_000;

export interface SigningLog {
  /**
   * `outcomes`: a word for each review. The same end of a request is logged once for each role. `startedAt`:
   * by `performance.now()`.
   */
  note(
    event: 'signing_led' | 'signing_joined',
    batch: SignBatch,
    reviews: readonly Reviewed[],
    outcomes: readonly string[],
    startedAt: number,
  ): void;
}

export function createSigningLog(logger: Pick<Logger, 'info' | 'isLevelEnabled'>): SigningLog {
  const isNew = createOnce(MAX_REMEMBERED);
  return {
    note(event, batch, reviews, outcomes, startedAt) {
      if (!logger.isLevelEnabled('info')) return;
      const parties = partiesText(batch);
      const duration_ms = Math.round(performance.now() - startedAt);
      reviews.forEach(({ verdict, requestId }, index) => {
        // from nobody known, or a probe
        if (verdict.kind === 'dropped') return;
        const outcome = outcomes[index]!;
        if (!isNew(`${event} ${requestId} ${outcome}`)) return;
        logger.info({
          event,
          request_id: requestId,
          outcome,
          ...(verdict.kind === 'ready' && { key_id: verdict.signing.key.id }),
          parties,
          duration_ms,
        });
      });
    },
  };
}
