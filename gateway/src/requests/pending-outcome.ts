/** The outcome of a request that was accepted and had to wait: at first its entry changes only what waits. */
import type { EntryOutcome } from '@countersign/vault/ledger/entry-outcome.js';
import type { PendingRequest, VaultState } from '@countersign/vault/state/state.js';

/** Whether this entry's own request was made to wait. An approval, say, is about another request that waits. */
function isOwnHeld({ subject, requestId }: Pick<EntryOutcome, 'subject' | 'requestId'>): boolean {
  return (
    subject?.resourceType === 'request' &&
    requestId !== undefined &&
    subject.resourceIds.includes(requestId)
  );
}

/** The current outcome: if a request had waited and was carried out, the final outcome of its entry. */
export function withWhatCameOfIt(
  { pendingRequests }: Pick<VaultState, 'pendingRequests'>,
  outcome: EntryOutcome,
): { readonly outcome: EntryOutcome; readonly held: PendingRequest | undefined } {
  const held = isOwnHeld(outcome) ? pendingRequests.rows.get(outcome.requestId ?? '') : undefined;
  const subject = held?.subject;
  return { held, outcome: subject == null ? outcome : { ...outcome, subject } };
}
