/** What both roles do with an item before the maths. */
import { parseBase64 } from '@countersign/core/bytes.js';
import type { Logger } from '@countersign/runtime/process/logger.js';
import type { StoredShare } from '../records/share-cache.js';
import type { ShareStore } from '../records/share-store.js';
import type { RefusalReason } from '../threads/thread-tasks.js';
import type { Reviewed } from './review-item.js';

/** An item that this party would sign. */
export type Ready = Reviewed & { verdict: { kind: 'ready' } };

/** What a signing thread is given of an item, in either role. */
export function threadInput(reviewed: Ready, share: StoredShare, message: Uint8Array) {
  const { item, digest, verdict } = reviewed;
  return {
    evidence: {
      digest,
      assertion: item.evidence.assertion,
      callerKey: verdict.callerKey,
    },
    key: {
      keyId: share.keyId,
      version: share.version,
      wrappedDek: share.wrappedDek,
      sealed: share.sealed,
      type: verdict.signing.key.type,
      publicKey: parseBase64(verdict.signing.key.publicKey)!,
    },
    message,
    scheme: verdict.signing.scheme,
  };
}

type Result = { readonly ok: true } | { readonly ok: false; readonly reason: RefusalReason };

/** A share that did not open, or is not the key's, is read anew for the next request. */
export function forgetWrongShares(
  shares: Pick<ShareStore, 'forget'>,
  jobs: readonly { readonly key: { readonly keyId: string } }[],
  results: readonly Result[],
): void {
  const wrong = jobs.filter((_, at) => {
    const result = results[at];
    return result?.ok === false && result.reason === 'share';
  });
  if (wrong.length > 0) shares.forget(wrong.map(({ key }) => key.keyId));
}

/** One request that cannot be composed must not take the others of its batch with it. */
export function logUncomposed(
  { logger }: { readonly logger: Logger },
  { requestId }: Reviewed,
  error: unknown,
): void {
  const fields = { event: 'not_composed', request_id: requestId, reason: String(error) };
  logger.error(fields, 'a request could not be composed');
}
